internal import FoundationEssentials
internal import SwiftwaterSessions
internal import SwiftwaterStreams

/// The session, for any number of consumers: as it is, then each newer one that a consumer has time for.
///
/// An element is nil if nobody is signed in. As long as the storage cannot be read, nothing is told, since nothing is
/// known. The sequence ends when the client is released.
public struct AuthSessionUpdates: AsyncSequence, Sendable {
  /// The session; nil if nobody is signed in.
  public typealias Element = Session?
  /// It never fails.
  public typealias Failure = Never

  let state: StateStream<CredentialState<AuthGrant>, Never>

  /// Registers a consumer.
  public func makeAsyncIterator() -> Iterator { Iterator(states: state.makeAsyncIterator()) }

  /// One consumer.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let states: StateStream<CredentialState<AuthGrant>, Never>.Iterator
    /// The outer nil means that nothing was told yet.
    private var told: Session??

    init(states: StateStream<CredentialState<AuthGrant>, Never>.Iterator) { self.states = states }

    /// The next session that differs from the one before; nil, without a session inside, at the end and after
    /// cancellation.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Session?? {
      while let state = await states.next(isolation: actor) {
        if case .unread = state { continue }
        let session = state.credential?.session
        // Failures to renew or to store are states of their own.
        guard told != .some(session) else { continue }
        told = .some(session)
        return .some(session)
      }
      return nil
    }
  }
}
