internal import FoundationEssentials
internal import SwiftwaterSessions

/// Says what the session engine tells in the words of this module, to one consumer.
struct AuthHistory: Sendable {
  private var pending: [AuthStateChanges.Element]
  private var session: Session?
  /// What happened right before the beginning may be told after it, and is known already.
  private var isAtBeginning = true

  /// - Parameters:
  ///   - session: What there is.
  ///   - state: Tells why there is none, if so.
  init(beginningWith session: Session?, state: CredentialState<AuthGrant>?) {
    self.session = session
    let reason: SignOutReason? =
      switch state {
      case _ where session != nil: nil
      case .absent(let end)?: SignOutReason(end)
      case .unread(let error?)?: SignOutReason(rawValue: SignOutReason.storageUnreadable.rawValue, error: .init(error))
      case .present?, .unread(nil)?, nil: .sessionMissing
      }
    pending = [(AuthChangeEvent(AuthChangeEvent.initialSession.rawValue, signOutReason: reason), session)]
  }

  mutating func next() -> AuthStateChanges.Element? { pending.isEmpty ? nil : pending.removeFirst() }

  mutating func add(_ event: CredentialEvent<AuthGrant>) {
    defer { isAtBeginning = false }
    switch event {
    case .loaded(let grant): if session == nil { tell([.signedIn], grant.session) }
    case .set(let grant): if !isKnown(grant.session) { tell(grant.events, grant.session) }
    case .refreshed(let grant): if !isKnown(grant.session) { tell([.tokenRefreshed], grant.session) }
    case .updated(let grant): tell([.userUpdated], grant.session)
    case .adopted(let grant):
      if !isKnown(grant.session) {
        tell([grant.session.user.id == session?.user.id ? .tokenRefreshed : .signedIn], grant.session)
      }
    case .ended(let end):
      if isAtBeginning, session == nil { return }
      session = nil
      pending.append((AuthChangeEvent(AuthChangeEvent.signedOut.rawValue, signOutReason: SignOutReason(end)), nil))
    case .refreshFailed, .storeFailed: break
    }
  }

  private func isKnown(_ session: Session) -> Bool { isAtBeginning && session == self.session }

  private mutating func tell(_ events: [AuthChangeEvent], _ session: Session) {
    self.session = session
    pending += events.map { ($0, session) }
  }
}

extension SignOutReason {
  init(_ end: CredentialEnd) {
    switch end.reason {
    case .userInitiated, .cleared: self = .userInitiated
    case .refused: self.init(rawValue: Self.sessionExpired.rawValue, error: end.cause as? AuthError)
    case .neverSet, .removedElsewhere: self = .sessionMissing
    default: self.init(rawValue: end.reason.rawValue)
    }
  }
}

extension AuthError {
  /// What the session's engine says of the storage.
  init(_ error: CredentialError) {
    self =
      AuthError.session(error) as? AuthError
      ?? AuthError(kind: .storage, message: error.message, underlyingError: error)
  }
}
