internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// Sessions, and what clients get of them.
extension AuthEndpoints {
  /// What a sign-in gives to a client.
  struct Grant: Sendable {
    var account: Account
    var session: SessionState
    var refreshToken: String
    var providerToken: String?
    var providerRefreshToken: String?
    var weakPassword: PasswordRules.Fault?
  }

  /// A session to be opened by this request.
  func newSession(_ method: String, _ call: AuthCall) -> SessionStatements.New {
    SessionStatements.New(method: method, userAgent: call.userAgent, address: call.address)
  }

  /// Runs statements that open a session, and reads what has become of it; nil where they did not open it.
  func grant(_ session: SessionStatements.New, _ statements: SQLFragment...) async throws -> Grant? {
    guard let row = try await database.row(statements + [SessionStatements.byID(session.id)]) else { return nil }
    return Grant(account: try row.decode(0), session: try row.decode(1), refreshToken: session.refreshToken)
  }

  /// A session as clients take it.
  func sessionBody(_ grant: Grant) throws(AuthError) -> JSONValue {
    let now = Int(Date().timeIntervalSince1970)
    let lifetime = Int(configuration.accessTokenLifetime.components.seconds)
    let account = grant.account
    let token = try tokens.sign([
      "iss": .string(externalURL), "sub": .string(account.id),
      "aud": .string(account.audience ?? configuration.audience), "exp": .integer(now + lifetime), "iat": .integer(now),
      "email": .string(account.email ?? ""), "phone": .string(account.phone ?? ""),
      "app_metadata": account.appMetadata, "user_metadata": account.userMetadata,
      "role": .string(account.role ?? configuration.role), "aal": .string(grant.session.level),
      "amr": grant.session.methods, "session_id": .string(grant.session.id),
      "is_anonymous": .bool(account.isAnonymous),
    ])
    var body: JSONValue = [
      "access_token": .string(token), "token_type": "bearer", "expires_in": .integer(lifetime),
      "expires_at": .integer(now + lifetime), "refresh_token": .string(grant.refreshToken), "user": account.profile,
    ]
    if let token = grant.providerToken { body["provider_token"] = .string(token) }
    if let token = grant.providerRefreshToken { body["provider_refresh_token"] = .string(token) }
    if let fault = grant.weakPassword {
      body["weak_password"] = [
        "message": .string(fault.message), "reasons": .array(fault.reasons.map(JSONValue.string)),
      ]
    }
    return body
  }

  /// The answer to a sign-in; without a grant, the user has been removed since the request looked.
  func respond(_ grant: Grant?) throws(AuthError) -> ServerResponse {
    guard let grant else { throw .invalidCredentials }
    return .json(try sessionBody(grant))
  }

  /// Where a browser goes with a session: its tokens stand behind `#`, which is never sent to a server.
  func redirectAddress(_ grant: Grant, to target: String, kind: String) throws(AuthError) -> String {
    let body = try sessionBody(grant)
    var parameters = [
      "access_token", "expires_at", "expires_in", "provider_refresh_token", "provider_token",
      "refresh_token", "token_type",
    ].compactMap { name -> (name: String, value: String)? in
      guard let value = body[name] else { return nil }
      return (name, value.stringValue ?? value.description)
    }
    parameters.append(("type", kind))
    return Self.address(target, fragment: parameters)
  }

  /// An address with parameters added to its query and put behind `#`.
  static func address(
    _ target: String, query: [(name: String, value: String)] = [], fragment: [(name: String, value: String)] = []
  ) -> String {
    func encoded(_ parameters: [(name: String, value: String)]) -> String {
      parameters.map { "\($0.name)=\($0.value.percentEncodedForQuery)" }.joined(separator: "&")
    }
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    var address = String(parts.first ?? "")
    if !query.isEmpty { address += (address.contains("?") ? "&" : "?") + encoded(query) }
    if !fragment.isEmpty { address += "#" + encoded(fragment) }
    return address
  }
}
