/// The decisions of a hub, made under its lock. Nothing here resumes a task, calls a user or releases a value of
/// theirs: all that is returned as ``HubEffects``.
@usableFromInline
protocol HubCore<Element, Failure>: Sendable {
  associatedtype Element: Sendable
  associatedtype Failure: Error
  associatedtype Tail: Sendable
  /// How far a consumer has read.
  associatedtype Cursor: BitwiseCopyable & Sendable
  /// What a consumer says about itself when it joins.
  associatedtype Joining: Sendable

  var audience: Audience<Cursor, Tail, Failure> { get set }

  /// Registers a consumer and fixes what it will see first, in one go.
  mutating func join(_ joining: Joining) -> Int
  mutating func leave(_ slot: Int) -> HubEffects<Element>
  /// The next element for a consumer, its end, or a ticket to wait with.
  ///
  /// - Parameter senders: Gets those who may go on because of this.
  mutating func poll(_ slot: Int, senders: inout WokenTasks) -> HubPoll<Element, Failure>
  /// Whether the consumer has something to read.
  func isReady(_ slot: Int) -> Bool
  /// What can be released because one more consumer waits.
  mutating func didPark() -> [Element]
  /// How many elements this consumer's policy has dropped.
  func droppedCount(_ slot: Int) -> Int
  mutating func end(failure: Failure?, epoch: Int?) -> HubEffects<Element>
  /// The listener has stopped.
  mutating func didStop() -> HubEffects<Element>
}

/// What a consumer found.
@usableFromInline
enum HubPoll<Element: Sendable, Failure: Error>: Sendable {
  case element(Element)
  case end(Failure?)
  case wait(ticket: Int)
}

/// What is left to do after the lock was left: tasks to resume, values to release (by dropping this).
@usableFromInline
struct HubEffects<Element: Sendable>: Sendable {
  @usableFromInline var consumers: WokenTasks
  @usableFromInline var senders: WokenTasks
  @usableFromInline var replaced: Element?
  @usableFromInline var garbage: [Element]
  /// The ``RunEnding`` of a consumer that left.
  @usableFromInline var ending: (any AnyObject & Sendable)?

  @inlinable
  init() {
    consumers = WokenTasks()
    senders = WokenTasks()
    replaced = nil
    garbage = []
    ending = nil
  }

  @inlinable
  func perform() {
    consumers.resume()
    senders.resume()
  }
}
