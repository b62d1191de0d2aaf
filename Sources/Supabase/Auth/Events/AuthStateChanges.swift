internal import FoundationEssentials
internal import SwiftwaterSessions
internal import SwiftwaterStreams

/// What happens to the session, for any number of consumers.
///
/// Each iteration is a consumer of its own. It is told at once what there is, as `INITIAL_SESSION`, also if that has
/// expired, and then what happens, in order and without gaps. The sequence ends when the client is released; a loop
/// that ends has no consumer any more.
public struct AuthStateChanges: AsyncSequence, Sendable {
  /// What has happened, and the session as it is since then.
  public typealias Element = (event: AuthChangeEvent, session: Session?)
  /// It never fails.
  public typealias Failure = Never

  private let events: EventStream<CredentialEvent<AuthGrant>, Never>
  private let state: StateStream<CredentialState<AuthGrant>, Never>
  /// What there is by the engine itself, which knows it before its streams tell; does not keep the engine.
  private let current: @Sendable () -> Session?

  init(_ sessions: CredentialManager<AuthGrant>) {
    events = sessions.events()
    state = sessions.state
    current = { [weak sessions] in sessions?.current?.session }
  }

  /// Registers a consumer.
  public func makeAsyncIterator() -> Iterator {
    // Registered first, so that nothing is missed.
    let events = events.subscribe()
    return Iterator(events: events, history: AuthHistory(beginningWith: current(), state: state.latest))
  }

  /// One consumer.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let events: EventStream<CredentialEvent<AuthGrant>, Never>.Iterator
    var history: AuthHistory

    /// The next event; nil when the client was released, and after cancellation.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      while true {
        if let change = history.next() { return Task.isCancelled ? nil : change }
        guard let event = await events.next(isolation: actor) else { return nil }
        history.add(event)
      }
    }
  }
}
