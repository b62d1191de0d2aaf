internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterSessions
internal import SwiftwaterTokens

extension AuthClient {
  /// The session, renewed if it expires within half a minute. If the server cannot be reached, one that has not expired
  /// yet will do.
  ///
  /// - Throws: `AuthError`: of the kind `.sessionMissing` if nobody is signed in, `.transport` or `.server` if the
  ///   session could not be renewed and is kept, `.storage`; `CancellationError`.
  public var session: Session {
    get async throws {
      do { return try await sessions.credential().session } catch { throw AuthError.session(error) }
    }
  }

  /// The session as it is, good or expired; nil if nobody is signed in, or the storage cannot be read, which
  /// ``session`` and ``authStateChanges`` tell.
  public var currentSession: Session? { sessions.current?.session }

  /// The user of ``currentSession``, as the server has last told; ``user(jwt:)`` asks it.
  public var currentUser: User? { currentSession?.user }

  /// Renews the session although it may be good, or waits for the renewal that is under way.
  ///
  /// - Parameter refreshToken: Another one than the session's, to take over a session from elsewhere.
  /// - Returns: The renewed session.
  /// - Throws: `AuthError`, of the kind `.refreshDiscarded` if somebody has signed in or out meanwhile;
  ///   `CancellationError`.
  @discardableResult
  public func refreshSession(refreshToken: String? = nil) async throws -> Session {
    do {
      let snapshot = try await sessions.snapshot()
      guard let refreshToken, refreshToken != snapshot.credential?.session.refreshToken else {
        return try await sessions.refresh().session
      }
      let session = try await api.refresh(refreshToken)
      try await sessions.set(
        AuthGrant(session: session, events: [.tokenRefreshed]), isIssued: true, replacing: snapshot)
      return session
    } catch {
      throw AuthError.session(error)
    }
  }

  /// Takes over a session from its tokens. An access token that has expired is renewed first.
  ///
  /// - Parameters:
  ///   - accessToken: The access token. The server is asked whose it is.
  ///   - refreshToken: The refresh token.
  /// - Throws: `AuthError`, of the kind `.jwtVerificationFailed` if the access token is none; `CancellationError`.
  @discardableResult
  public func setSession(accessToken: String, refreshToken: String) async throws -> Session {
    let expiry: Double
    do {
      guard let exp = try JSONWebToken.unverified(accessToken).values["exp"]?.doubleValue else {
        throw JSONWebToken.Refusal.claimIsNoNumber("exp")
      }
      expiry = exp
    } catch {
      throw AuthError.unbelievable(error)
    }
    let remaining = expiry - Date().timeIntervalSince1970
    let session: Session
    if remaining > 0 {
      session = Session(
        accessToken: accessToken, tokenType: "bearer", expiresIn: remaining, expiresAt: expiry,
        refreshToken: refreshToken, user: try await user(jwt: accessToken))
    } else {
      session = try await api.refresh(refreshToken)
    }
    try await keep(session, isIssued: remaining <= 0)
    return session
  }

  /// Signs out. Without a session it does nothing.
  ///
  /// The session is gone for this program at once, also if the server cannot be reached; it is told afterwards. That it
  /// does not know the session any more is no error.
  ///
  /// - Parameter scope: Which sessions of the user end: all, on all devices, unless given.
  /// - Throws: `AuthError` if the server could not be told, or the storage not be emptied; `CancellationError`,
  ///   likewise.
  public func signOut(scope: SignOutScope = .global) async throws {
    if scope == .others {
      let session: Session
      do { session = try await self.session } catch let error as AuthError where error.kind == .sessionMissing {
        return
      }
      return try await revoke(session.accessToken, scope: scope)
    }
    // What cannot be read can be signed out of all the same.
    _ = try? await sessions.load()
    try Task.checkCancellation()
    let grant = sessions.current
    var failure: (any Error)?
    do { try await sessions.clear(.userInitiated) } catch { failure = AuthError.session(error) }
    if let grant { try await revoke(grant.session.accessToken, scope: scope) }
    if let failure { throw failure }
  }

  /// Tells the server that a session is over.
  private func revoke(_ token: String, scope: SignOutScope) async throws {
    do {
      try await api.perform(try AuthRequest(.post, "logout", query: ["scope": scope.rawValue]).bearer(token))
    } catch let error as AuthError where error.kind == .server && [401, 403, 404].contains(error.status) {
      // It does not know the session, or the user, any more.
    }
  }

  /// Renews the session in the background from now on, before it expires and again after failures.
  public func startAutoRefresh() { sessions.startAutoRefresh() }

  /// Renews the session on demand only. A renewal that is under way goes on.
  public func stopAutoRefresh() { sessions.stopAutoRefresh() }

  /// Begins as the configuration says.
  func startRefreshing() {
    sessions.startAutoRefresh()
    #if canImport(Darwin)
      if configuration.observesAppLifecycle { observeAppLifecycle() }
    #endif
  }
}

extension CredentialEnd.Reason {
  /// Somebody has called `signOut`.
  static let userInitiated = CredentialEnd.Reason(rawValue: "userInitiated")
}
