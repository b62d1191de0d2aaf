/// The values of a ``StateSource``, for any number of consumers.
///
/// Each iteration is a consumer of its own:
///
/// - Registration: when the iterator is made; the first consumer starts the upstream listener.
/// - First element: the latest value, if there is one. Afterwards strictly newer ones.
/// - Slow consumers skip values, always reach the newest, and affect nobody else. Nothing is buffered.
/// - End and failure: the newest value first, if unseen, then the end or the error, then nil for ever.
/// - Cancellation: `next()` returns nil at once, and the consumer is deregistered.
/// - `break`, or releasing the iterator, deregisters, even if the sequence is kept. When the last consumer leaves, the
///   listener is removed before the loop's task goes on (unless the ``SharingPolicy`` says otherwise, or another thread
///   is just starting or removing it, which then does so).
public struct StateStream<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  @usableFromInline let hub: Hub<StateCore<Element, Failure>>
  /// Set if the source has an upstream, which lives as long as somebody can consume it.
  let owner: StateSource<Element, Failure>?
  let areEqual: (@Sendable (Element, Element) -> Bool)?

  init(
    hub: Hub<StateCore<Element, Failure>>, owner: StateSource<Element, Failure>?,
    areEqual: (@Sendable (Element, Element) -> Bool)? = nil
  ) {
    self.hub = hub
    self.owner = owner
    self.areEqual = areEqual
  }

  /// The newest value at this moment, without becoming a consumer.
  public var latest: Element? { hub.core.withLock { $0.value } }

  /// Registers a consumer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      subscription: Subscription(hub, (), owner: owner),
      duplicates: areEqual.map { DuplicateFilter(areEqual: $0) })
  }

  /// One consumer. Copies are the same consumer: each value goes to one of them.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    @usableFromInline let subscription: Subscription<StateCore<Element, Failure>>
    @usableFromInline let duplicates: DuplicateFilter<Element>?

    init(subscription: Subscription<StateCore<Element, Failure>>, duplicates: DuplicateFilter<Element>?) {
      self.subscription = subscription
      self.duplicates = duplicates
    }

    /// The next newer value; nil at the end and after cancellation.
    @inlinable
    public func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      while true {
        switch subscription.poll() {
        case .element(let element): if duplicates?.admits(element) ?? true { return element }
        case .end(nil): return nil
        case .end(let failure?): throw failure
        case .wait(let ticket): await subscription.wait(ticket: ticket)
        }
      }
    }
  }
}

extension StateStream where Element: Equatable {
  /// The same values, but each consumer skips one that equals the value it saw before.
  public func removingDuplicates() -> StateStream {
    StateStream(hub: hub, owner: owner, areEqual: ==)
  }
}
