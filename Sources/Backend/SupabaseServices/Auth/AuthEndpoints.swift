internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres
internal import SwiftwaterStreams
internal import SwiftwaterTokens

/// What all endpoints work with. Each group of them has a file of its own.
struct AuthEndpoints: Sendable {
  let configuration: AuthService.Configuration
  let database: AuthDatabase
  let tokens: AuthTokens
  let delivery: (any MessageDelivery)?
  let limiter: RateLimiter
  let verifier: JWTVerifier
  let seal: TokenSeal
  let redirects: RedirectRules
  let providers: OpenIDClient?
  private let address: LockIsolated<String>

  init(
    configuration: AuthService.Configuration, database: AuthDatabase, tokens: AuthTokens,
    delivery: (any MessageDelivery)?, transport: (any ClientTransport)?, limiter: RateLimiter,
    address: LockIsolated<String>
  ) {
    self.configuration = configuration
    self.database = database
    self.tokens = tokens
    self.delivery = delivery
    self.limiter = limiter
    self.address = address
    verifier = JWTVerifier(JWTSettings(keys: tokens.keys))
    seal = TokenSeal(secret: tokens.sealingSecret)
    redirects = RedirectRules(siteURL: configuration.siteURL, patterns: configuration.redirectURLs)
    providers = transport.map { OpenIDClient(transport: $0) }
  }

  /// How the service is reached: `https://example.com/auth/v1`.
  var externalURL: String { address.value }

  /// What a request is counted by.
  func limited(_ call: AuthCall) -> String { call.limitedAddress(field: configuration.rateLimits.addressField) }

  /// Whom a request comes from.
  struct Caller: Sendable {
    let account: Account
    let session: SessionState
  }

  /// Who has sent the request.
  ///
  /// - Throws: `AuthError` where there is no token, it is not to be believed, or its session or user are gone.
  func caller(_ call: AuthCall) async throws -> Caller {
    let claims = try claims(call)
    guard let user = claims["sub"]?.stringValue, !user.isEmpty else {
      throw AuthError(403, .badJWT, "invalid claim: missing sub claim")
    }
    guard let session = claims["session_id"]?.stringValue, Self.isUUID(session), Self.isUUID(user) else {
      throw AuthError(403, .badJWT, "invalid claim: sub and session_id must be UUIDs")
    }
    guard let row = try await database.row(SessionStatements.byID(session)) else {
      guard try await database.row(UserStatements.byID(user)) != nil else {
        throw AuthError(403, .userNotFound, "User from sub claim in JWT does not exist")
      }
      throw AuthError(403, .sessionNotFound, "Session from session_id claim in JWT does not exist")
    }
    let caller = Caller(account: try row.decode(0), session: try row.decode(1))
    guard caller.account.id == user.lowercased() else {
      throw AuthError(403, .sessionNotFound, "Session from session_id claim in JWT does not exist")
    }
    guard !caller.account.isBanned else { throw AuthError(403, .userBanned, "User is banned") }
    return caller
  }

  /// Fails unless the token is an administrator's.
  func requireAdministrator(_ call: AuthCall) throws(AuthError) {
    let claims = try claims(call)
    guard ["service_role", "supabase_admin"].contains(claims["role"]?.stringValue) else {
      throw AuthError(403, .notAdmin, "User not allowed")
    }
  }

  private func claims(_ call: AuthCall) throws(AuthError) -> JSONValue {
    guard let token = call.bearerToken, !token.isEmpty else {
      throw AuthError(401, .noAuthorization, "This endpoint requires a valid Bearer token")
    }
    do {
      return try verifier.verify(token).values
    } catch {
      switch error {
      case .expired:
        throw AuthError(
          403, .badJWT, "invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired")
      default: throw AuthError(403, .badJWT, "invalid JWT: unable to parse or verify signature")
      }
    }
  }

  static func isUUID(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == [8, 4, 4, 4, 12]
      && parts.allSatisfy { part in part.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
  }

  /// An entry of the audit log about what a user does.
  func audit(
    _ action: AuditEntry.Action, by account: Account, _ call: AuthCall, traits: JSONValue? = nil
  ) -> AuditEntry {
    AuditEntry(
      action: action, actorID: account.id, actorName: account.email ?? account.phone ?? "", traits: traits,
      address: call.address)
  }

  /// An entry about what an administrator does with a user.
  func adminAudit(_ action: AuditEntry.Action, _ call: AuthCall, id: String, email: String?, phone: String?)
    -> AuditEntry
  {
    AuditEntry(
      action: action, actorID: "00000000-0000-0000-0000-000000000000", actorName: "service_role",
      traits: ["user_id": .string(id), "user_email": .string(email ?? ""), "user_phone": .string(phone ?? "")],
      address: call.address)
  }
}
