internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// What users see and change of themselves.
extension AuthEndpoints {
  private struct Update: Decodable {
    var email: String?
    var phone: String?
    var password: String?
    var nonce: String?
    var data: [String: JSONValue]?
    var appMetadata: [String: JSONValue]?
    var codeChallenge: String?
    var codeChallengeMethod: String?

    enum CodingKeys: String, CodingKey {
      case email, phone, password, nonce, data
      case appMetadata = "app_metadata"
      case codeChallenge = "code_challenge"
      case codeChallengeMethod = "code_challenge_method"
    }
  }

  /// `GET /user`
  func user(_ call: AuthCall) async throws -> ServerResponse {
    .json(try await caller(call).account.profile)
  }

  /// `PUT /user`
  func updateUser(_ call: AuthCall) async throws -> ServerResponse {
    let caller = try await caller(call)
    let account = caller.account
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(Update.self)
    var email = try wanted.email.flatMap { try $0.isEmpty ? nil : Address.email($0) }
    var phone = try wanted.phone.flatMap { try $0.isEmpty ? nil : Address.phone($0) }
    if email == account.email { email = nil }
    if phone == account.phone { phone = nil }
    let challenge = try PKCEChallenge(challenge: wanted.codeChallenge, method: wanted.codeChallengeMethod)
    if let password = wanted.password { try check(password: password) }
    guard wanted.appMetadata == nil else {
      throw AuthError(403, .notAdmin, "Updating app_metadata requires admin privileges")
    }
    try checkMayChange(caller, email: email, phone: phone, password: wanted.password)
    if let email, try await database.row(UserStatements.byEmail(email)) != nil { throw AuthError.emailExists }
    if let phone, try await database.row(UserStatements.byPhone(phone)) != nil { throw AuthError.phoneExists }
    var statements: [SQLFragment] = []
    if let password = wanted.password {
      statements += try await checkNew(password, nonce: wanted.nonce, of: caller)
    }
    var change = UserStatements.Change(password: wanted.password, userMetadata: wanted.data.map(JSONValue.object))
    // An anonymous user's first address counts at once where that of a new user does.
    let takesEmail = email != nil && account.isAnonymous && configuration.confirmsEmailAtOnce
    let takesPhone = phone != nil && configuration.confirmsPhoneAtOnce
    if takesEmail { (change.email, change.confirmsEmail) = (email, true) }
    if takesPhone { (change.phone, change.confirmsPhone) = (phone, true) }
    let mailPermit = email != nil && !takesEmail ? try permitEmailChange(of: account) : nil
    let textPermit = phone != nil && !takesPhone ? try permitPhoneChange(of: account) : nil
    let crypto = try await database.crypto()
    statements.append(
      UserStatements.update(
        account.id, change, cost: configuration.passwordCost, crypto: crypto,
        audit: audit(wanted.password == nil ? .userModified : .userUpdatePassword, by: account, call)))
    if takesEmail || takesPhone {
      statements += identities(account.id, email: takesEmail ? email : nil, phone: takesPhone ? phone : nil)
    }
    if wanted.password != nil {
      // Whoever had the old password is not to stay.
      statements.append(SessionStatements.end(.others, user: account.id, session: caller.session.id))
    }
    try await database.row(statements)
    if let email, let mailPermit {
      try await sendEmailChange(to: account, email, challenge: challenge, mailPermit, call)
    }
    if let phone, let textPermit {
      try await send(
        .phoneChange, .phoneChange, toPhone: phone, of: account, setting: "phone_change = \(phone)::text, ", textPermit)
    }
    return .json(try await reload(account).profile)
  }

  /// Statements that give a user the identities of addresses that were just set.
  func identities(_ id: String, email: String?, phone: String?, areVerified: Bool = true) -> [SQLFragment] {
    var statements: [SQLFragment] = []
    if let email {
      statements.append(
        UserStatements.setIdentity(
          id, provider: "email",
          data: ["sub": .string(id), "email": .string(email), "email_verified": .bool(areVerified)]))
    }
    if let phone {
      statements.append(
        UserStatements.setIdentity(
          id, provider: "phone",
          data: ["sub": .string(id), "phone": .string(phone), "phone_verified": .bool(areVerified)]))
    }
    if !statements.isEmpty { statements.append(UserStatements.setProviders(id)) }
    return statements
  }

  private func checkMayChange(_ caller: Caller, email: String?, phone: String?, password: String?) throws(AuthError) {
    let account = caller.account
    let isSensitive = email != nil || phone != nil || password != nil
    if isSensitive, account.hasVerifiedFactor, caller.session.level != "aal2" {
      throw AuthError(
        401, .insufficientAAL, "AAL2 session is required to update email or password when MFA is enabled.")
    }
    if account.isAnonymous, password != nil, email == nil, phone == nil {
      throw AuthError(
        422, .validationFailed, "Updating password of an anonymous user without an email or phone is not allowed")
    }
    if account.isSSO, isSensitive {
      throw AuthError(
        422, .userSSOManaged, "Updating email, phone, password of a SSO account only possible via SSO")
    }
  }

  /// Fails for a password that is the old one, or where a fresh proof is missing. The statements use the proof up.
  private func checkNew(_ password: String, nonce: String?, of caller: Caller) async throws -> [SQLFragment] {
    let account = caller.account
    var statements: [SQLFragment] = []
    if configuration.needsReauthenticationForPassword, caller.session.age > 24 * 3600 {
      guard let nonce, !nonce.isEmpty else {
        throw AuthError(400, .reauthenticationNeeded, "Password update requires reauthentication")
      }
      let hash = Secrets.link(recipient: account.email ?? account.phone ?? "", code: nonce)
      let row = try await database.row(
        OneTimeTokenStatements.find(seals: [seal.seal(hash)], purposes: [.reauthentication]))
      let lifetime = account.email == nil ? configuration.phoneCodeLifetime : configuration.mailCodeLifetime
      guard let row, let owner: Account = try? row.decode(0), owner.id == account.id,
        let token: OneTimeTokenStatements.Presented = try? row.decode(1), .seconds(token.age) <= lifetime
      else { throw AuthError(422, .reauthenticationNotValid, "Nonce has expired or is invalid") }
      statements.append(OneTimeTokenStatements.forget([.reauthentication], of: account.id))
    }
    if account.hasPassword {
      let row = try await database.row(
        UserStatements.byPassword(
          email: nil, phone: nil, id: account.id, password: password, crypto: try await database.crypto()))
      guard row?.text(1) != "t" else {
        throw AuthError(422, .samePassword, "New password should be different from the old password.")
      }
    }
    return statements
  }

  /// `POST /logout`
  func signOut(_ call: AuthCall) async throws -> ServerResponse {
    let caller = try await caller(call)
    guard let scope = SessionStatements.Scope(rawValue: call.parameter("scope") ?? "global") else {
      throw AuthError.invalid("Unsupported logout scope")
    }
    try await database.row(
      AuditStatements.insert(audit(.logout, by: caller.account, call)),
      SessionStatements.end(scope, user: caller.account.id, session: caller.session.id))
    return ServerResponse(status: .noContent)
  }
}
