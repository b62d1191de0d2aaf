/// The events of an ``EventSource``, for any number of consumers.
///
/// Each iteration is a consumer of its own:
///
/// - Registration: when the iterator is made; the first consumer starts the upstream listener. Use ``subscribe()`` to
///   register now and read later.
/// - Elements: the events sent after registration, in the order of sending.
/// - Slow consumers have their own ``EventBufferingPolicy`` and affect nobody else, except that `.suspending` holds
///   back senders who ask for it. What a policy drops is counted in ``Iterator/droppedCount``.
/// - End and failure: what is buffered first, then the end or the error, then nil for ever.
/// - Cancellation: `next()` returns nil at once, and the consumer is deregistered.
/// - `break`, or releasing the iterator, deregisters, even if the sequence is kept. When the last consumer leaves, the
///   listener is removed before the loop's task goes on (unless the ``SharingPolicy`` says otherwise, or another thread
///   is just starting or removing it, which then does so).
public struct EventStream<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  let hub: Hub<EventCore<Element, Failure>>
  /// Set if the source has an upstream, which lives as long as somebody can consume it.
  let owner: EventSource<Element, Failure>?
  let bufferingPolicy: EventBufferingPolicy

  /// Registers a consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: EventSubscription(hub, bufferingPolicy, owner: owner))
  }

  /// An iterator that is already registered: no event sent after this call is missed.
  ///
  /// ```swift
  /// let messages = source.events().subscribe()
  /// source.send("hello")
  /// let first = await messages.next()  // "hello"
  /// ```
  public func subscribe() -> Iterator { makeAsyncIterator() }

  @usableFromInline typealias EventSubscription = Subscription<EventCore<Element, Failure>>

  /// One consumer. Copies are the same consumer: each event goes to one of them.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    @usableFromInline let subscription: EventSubscription

    init(subscription: EventSubscription) {
      self.subscription = subscription
    }

    /// How many events this consumer's policy has dropped so far. Keeps its last value after the end.
    public var droppedCount: Int { subscription.droppedCount }

    /// The next event; nil at the end and after cancellation.
    @inlinable
    public func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      while true {
        switch subscription.poll() {
        case .element(let element): return element
        case .end(nil): return nil
        case .end(let failure?): throw failure
        case .wait(let ticket): await subscription.wait(ticket: ticket)
        }
      }
    }
  }
}
