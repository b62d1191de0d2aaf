internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// `POST /token`: what is given for a session.
extension AuthEndpoints {
  private struct TokenRequest: Decodable {
    var email: String?
    var phone: String?
    var password: String?
    var refreshToken: String?
    var authCode: String?
    var codeVerifier: String?

    enum CodingKeys: String, CodingKey {
      case email, phone, password
      case refreshToken = "refresh_token"
      case authCode = "auth_code"
      case codeVerifier = "code_verifier"
    }
  }

  /// `POST /token?grant_type=`
  func token(_ call: AuthCall) async throws -> ServerResponse {
    switch call.parameter("grant_type") {
    case "password": return try await signIn(call)
    case "refresh_token": return try await refresh(call)
    case "pkce": return try await redeemCode(call)
    case "id_token": return try await signInWithIDToken(call)
    case "web3": throw AuthError(422, .web3ProviderDisabled, "Web3 provider is disabled")
    default: throw AuthError(400, .invalidCredentials, "unsupported_grant_type")
    }
  }

  private func signIn(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(TokenRequest.self)
    let (email, phone) = (wanted.email ?? "", wanted.phone ?? "")
    guard email.isEmpty || phone.isEmpty else {
      throw AuthError.invalid("Only an email address or phone number should be provided on login.")
    }
    guard !email.isEmpty || !phone.isEmpty else { throw AuthError.invalid("missing email or phone") }
    guard email.isEmpty || configuration.allowsEmail else { throw AuthError.emailDisabled }
    guard phone.isEmpty || configuration.allowsPhone else { throw AuthError.phoneDisabled }
    let password = wanted.password ?? ""
    // bcrypt would hear the beginning alone of a longer one.
    guard password.utf8.count <= PasswordRules.maximumLength else { throw AuthError.invalidCredentials }
    let row = try await database.row(
      UserStatements.byPassword(
        email: email.isEmpty ? nil : email.lowercased(),
        phone: phone.isEmpty ? nil : phone.filter { $0 != "+" && $0 != " " }, password: password,
        crypto: try await database.crypto()))
    guard let row, row.text(1) == "t", let account: Account = try row.decode(0, as: Account?.self) else {
      throw AuthError.invalidCredentials
    }
    guard !account.isBanned else { throw AuthError.banned }
    guard email.isEmpty || account.isEmailConfirmed else {
      throw AuthError(400, .emailNotConfirmed, "Email not confirmed")
    }
    guard phone.isEmpty || account.isPhoneConfirmed else {
      throw AuthError(400, .phoneNotConfirmed, "Phone not confirmed")
    }
    let session = newSession("password", call)
    var grant = try await grant(
      session,
      SessionStatements.open(
        session, for: account.id,
        audit: audit(.login, by: account, call, traits: ["provider": .string(email.isEmpty ? "phone" : "email")])))
    grant?.weakPassword = configuration.passwords.fault(of: password)
    return try respond(grant)
  }

  /// Rotates the token. Whoever loses a race for it looks again and gets what the winner got.
  private func refresh(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.tokenRefreshes(address: limited(call)))
    guard let text = try call.decode(TokenRequest.self).refreshToken, !text.isEmpty else {
      throw AuthError.invalid("refresh_token required")
    }
    for _ in 0..<3 {
      guard let row = try await database.row(SessionStatements.byRefreshToken(text)) else {
        throw AuthError(400, .refreshTokenNotFound, "Invalid Refresh Token: Refresh Token Not Found")
      }
      let (account, token): (Account, RefreshDecision.Presented) = (try row.decode(0), try row.decode(1))
      let session = token.sessionID ?? ""
      switch RefreshDecision(
        token, reuseInterval: configuration.refreshTokenReuseInterval, sessionLifetime: configuration.sessionLifetime)
      {
      case .refuse(let error): throw error
      case .revokeFamily:
        // A refresh that is under way comes first, and what it has made ends, too.
        try await database.row(
          SessionStatements.lock(session),
          SessionStatements.revokeFamily(session, audit: audit(.tokenRevoked, by: account, call)))
        throw AuthError(400, .refreshTokenAlreadyUsed, "Invalid Refresh Token: Already Used")
      case .hand(let newest):
        guard let row = try await database.row(SessionStatements.byID(session)) else { continue }
        return try respond(
          Grant(account: try row.decode(0), session: try row.decode(1), refreshToken: newest))
      case .rotate:
        let new = Secrets.token(length: 22)
        let rotation = SessionStatements.rotate(
          token.id, to: new, userAgent: call.userAgent, address: call.address,
          audit: audit(.tokenRefreshed, by: account, call))
        guard let row = try await database.session(session, after: rotation) else { continue }
        return try respond(
          Grant(account: try row.decode(0), session: try row.decode(1), refreshToken: new))
      }
    }
    throw AuthError(
      409, .unexpectedFailure, "Too many concurrent token refresh requests on the same session or refresh token")
  }

  private func redeemCode(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(TokenRequest.self)
    guard let code = wanted.authCode, let codeVerifier = wanted.codeVerifier, !code.isEmpty, !codeVerifier.isEmpty
    else {
      throw AuthError.invalid("invalid request: both auth code and code verifier should be non-empty")
    }
    guard let row = try await database.row(FlowStatements.byCode(code)) else {
      throw AuthError(404, .flowStateNotFound, "invalid flow state, no valid flow state found")
    }
    let flow: FlowStatements.Begun = try row.decode(0)
    guard .seconds(flow.codeAge ?? flow.age) <= configuration.flowLifetime else {
      throw AuthError(403, .flowStateExpired, "invalid flow state, flow state has expired")
    }
    guard let text = flow.challenge, let method = flow.challengeMethod.flatMap(PKCEChallenge.Method.init),
      PKCEChallenge(text: text, method: method).accepts(codeVerifier)
    else {
      throw AuthError(400, .badCodeVerifier, "code challenge does not match previously saved code verifier")
    }
    guard let user = flow.user, let account: Account = try await database.row(UserStatements.byID(user))?.decode(0)
    else {
      throw AuthError(404, .flowStateNotFound, "invalid flow state, no valid flow state found")
    }
    guard !account.isBanned else { throw AuthError.banned }
    let session = newSession(flow.method, call)
    var grant = try await grant(
      session,
      FlowStatements.redeem(
        flow, session: session,
        audit: audit(.login, by: account, call, traits: ["provider_type": .string(flow.provider)])))
    guard grant != nil else {
      throw AuthError(404, .flowStateNotFound, "invalid flow state, no valid flow state found")
    }
    grant?.providerToken = flow.providerToken
    grant?.providerRefreshToken = flow.providerRefreshToken
    return try respond(grant)
  }
}
