internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP
internal import SwiftwaterSessions
internal import SwiftwaterStreams

/// Signs users in, and keeps them signed in.
///
/// ```swift
/// let auth = AuthClient(configuration: .init(url: url, headers: [.apikey: key]))
/// try await auth.signIn(email: email, password: password)
/// let token = try await auth.session.accessToken
/// ```
///
/// - One renewal of the session serves all who need it, and only the server ends a session: what fails otherwise keeps
///   it.
/// - A call that changes the session returns when it is in force and stored. If it cannot be stored, the call throws
///   `AuthError` of the kind `.storage`; the session holds in memory all the same.
/// - Errors are `AuthError`. A cancelled call throws `CancellationError` at once.
/// - Threading: a client may be used from anywhere at once. Releasing it ends its sequences and its work in the
///   background.
public final class AuthClient: Sendable {
  /// How the client is set up.
  public let configuration: Configuration
  let api: AuthAPI
  let sessions: CredentialManager<AuthGrant>
  let verifiers: CodeVerifiers
  let verificationKeys = VerificationKeys()
  let tasks = OwnedTasks()

  /// A client of the server at `configuration.url`. The session is read from the storage when it is first needed.
  public convenience init(configuration: Configuration) {
    self.init(configuration: configuration, date: { Date() })
  }

  /// - Parameter date: The time of day.
  init(configuration: Configuration, date: @escaping @Sendable () -> Date) {
    self.configuration = configuration
    let api = AuthAPI(configuration)
    self.api = api
    let key = configuration.resolvedStorageKey
    var settings = CredentialConfiguration()
    // The HTTP stack tries again where the server cannot have seen the request; after an answer nobody must.
    settings.attempts = 1
    settings.logger = configuration.logger
    sessions = CredentialManager(
      .auth(api), store: SessionStore.store(of: configuration.localStorage, key: key), configuration: settings,
      clock: configuration.clock, date: date)
    verifiers = CodeVerifiers(storage: configuration.localStorage, key: "\(key)-code-verifier")
    if configuration.autoRefreshToken { startRefreshing() }
  }

  /// Second factors.
  public var mfa: AuthMFA { AuthMFA(client: self) }
  /// What administrators do, with the project's secret key in `configuration.headers`. Never in an app.
  public var admin: AuthAdmin { AuthAdmin(api: api, redirectToURL: configuration.redirectToURL) }
  /// What the user decides about apps that ask for access, where the project is an OAuth server.
  public var oauthServer: AuthOAuthServer { AuthOAuthServer(client: self) }

  // MARK: - What signing in has in common

  /// Puts a session in force that the server has just issued.
  ///
  /// - Parameters:
  ///   - events: What is told.
  ///   - isIssued: Whether the server has issued it just now, so that it counts from here.
  func keep(_ session: Session, events: [AuthChangeEvent] = [.signedIn], isIssued: Bool = true) async throws {
    do {
      try await sessions.set(AuthGrant(session: session, events: events), isIssued: isIssued)
    } catch {
      throw AuthError.session(error)
    }
  }

  /// Sends a request on behalf of the user.
  func authorized(_ request: AuthRequest) async throws -> (response: HTTPResponse, bytes: [UInt8]) {
    let token = try await session.accessToken
    do {
      return try await api.send(try request.bearer(token))
    } catch let error as AuthError where error.meansSessionIsGone {
      throw await verdict(on: token, after: error)
    }
  }

  /// Sends a request on behalf of the user, and reads the answer.
  func authorized<Value: Decodable>(_ request: AuthRequest, as type: Value.Type = Value.self) async throws -> Value {
    let (response, bytes) = try await authorized(request)
    return try AuthAPI.decode(bytes, response)
  }

  /// Sends a request on behalf of the user that brings a new session of the same user, and keeps it.
  ///
  /// - Throws: `AuthError` of the kind `.refreshDiscarded` if that user has signed out meanwhile, or somebody else in.
  func upgrade(_ request: AuthRequest, event: AuthChangeEvent) async throws -> Session {
    let user = try await session.user.id
    let upgraded: Session = try await authorized(request)
    do {
      while true {
        let snapshot = try await sessions.snapshot()
        guard snapshot.credential?.session.user.id == user else { throw AuthError.discarded }
        do {
          try await sessions.set(
            AuthGrant(session: upgraded, events: [event]), isIssued: true, replacing: snapshot)
          return upgraded
        } catch let error as CredentialError where error.code == .superseded {
          // It was renewed, as likely as not: look again.
        }
      }
    } catch {
      throw AuthError.session(error)
    }
  }

  /// What a server's word that the session is gone comes to: renewing it decides, once for all and in all processes.
  private func verdict(on token: String, after error: AuthError) async -> any Error {
    do {
      _ = try await sessions.credential { $0.session.accessToken == token }
    } catch is CancellationError {
      return CancellationError()
    } catch let failure as CredentialError where failure.code == .refused || failure.code == .absent {
      return AuthError(
        kind: .sessionMissing, message: "The session has ended: \(error.message). Sign in again.",
        errorCode: error.errorCode, response: error.response, underlyingError: error)
    } catch {}
    return error
  }

  /// What requests carry that begin a flow by browser or mail; nothing in the implicit one.
  func beginFlow(isRecovery: Bool = false) throws -> CodeVerifiers.Flow? {
    configuration.flowType == .pkce ? try verifiers.begin(isRecovery: isRecovery) : nil
  }
}

extension AuthError {
  /// What was asked for is not wanted any more.
  static let discarded = AuthError(
    kind: .refreshDiscarded,
    message: "Somebody has signed in or out while the request was under way; its result was dropped.")

  /// Whether a server says so of the session whose token it was given.
  var meansSessionIsGone: Bool {
    kind == .server && [.sessionNotFound, .sessionExpired, .userNotFound].contains(errorCode)
  }
}

extension CodeVerifiers.Flow? {
  /// The members that a request's body has for the flow.
  var members: JSONObject {
    guard let self else { return [:] }
    return [
      "code_challenge": .string(PKCE.challenge(of: self.verifier)), "code_challenge_method": .string(PKCE.method),
    ]
  }
}
