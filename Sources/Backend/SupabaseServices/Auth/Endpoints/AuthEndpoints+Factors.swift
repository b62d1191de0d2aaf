internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

// Second factors.
extension AuthEndpoints {
  private struct FactorRequest: Decodable {
    var kind: String?
    var name: String?
    var issuer: String?
    var phone: String?
    var challenge: String?
    var code: String?

    enum CodingKeys: String, CodingKey {
      case issuer, phone, code
      case kind = "factor_type"
      case name = "friendly_name"
      case challenge = "challenge_id"
    }
  }

  /// `POST /factors`
  func enroll(_ call: AuthCall) async throws -> ServerResponse {
    let caller = try await factorOwner(call)
    let wanted = try call.decode(FactorRequest.self)
    let (account, name) = (caller.account, wanted.name ?? "")
    let kind = wanted.kind ?? ""
    guard kind != "webauthn" else {
      throw AuthError(422, .mfaWebAuthnEnrollDisabled, "MFA enroll is disabled for WebAuthn")
    }
    guard kind == "totp" || kind == "phone" else {
      throw AuthError.invalid("factor_type needs to be totp, phone, or webauthn")
    }
    var phone: String?
    if kind == "phone" {
      guard let given = wanted.phone, !given.isEmpty else {
        throw AuthError.invalid("Phone number required to enroll Phone factor")
      }
      phone = try Address.phone(given)
      guard !account.factors.contains(where: { $0.phone == phone && $0.isVerified }) else {
        throw AuthError(
          422, .mfaVerifiedFactorExists,
          "A verified phone factor already exists, unenroll the existing factor to continue")
      }
    }
    guard name.isEmpty || !account.factors.contains(where: { $0.name == name }) else {
      throw Self.nameConflict(name)
    }
    try checkMayAddFactor(caller)
    let (id, secret) = (Secrets.uuid(), TOTP())
    let row: AuthDatabase.Row?
    do {
      row = try await database.session(
        caller.session.id,
        after: FactorStatements.insert(
          id, user: account.id, session: caller.session.id, kind: kind, name: name,
          secret: kind == "totp" ? secret.base32 : nil, phone: phone,
          limit: configuration.maximumFactors,
          audit: audit(.factorInProgress, by: account, call, traits: ["factor_id": .string(id)])))
    } catch let error as PostgresError where error.sqlState == "23505" {
      throw Self.nameConflict(name)
    }
    guard row != nil else {
      // Another factor may have been verified meanwhile, which may have ended the session.
      try checkMayAddFactor(try await self.caller(call))
      throw AuthError(
        422, .tooManyEnrolledMFAFactors, "Maximum number of verified factors reached, unenroll to continue")
    }
    var body: JSONValue = ["id": .string(id), "type": .string(kind), "friendly_name": .string(name)]
    if let phone { body["phone"] = .string(phone) }
    if kind == "totp" { body["totp"] = totpBody(secret, issuer: wanted.issuer, account) }
    return .json(body)
  }

  /// Fails where a session of the first level would add a second factor of its own to that which the user has.
  private func checkMayAddFactor(_ caller: Caller) throws(AuthError) {
    guard !caller.account.hasVerifiedFactor || caller.session.level == "aal2" else {
      throw AuthError(403, .insufficientAAL, "AAL2 required to enroll a new factor")
    }
  }

  private func totpBody(_ secret: TOTP, issuer: String?, _ account: Account) -> JSONValue {
    let issuer = issuer.flatMap { $0.isEmpty ? nil : $0 } ?? RedirectRules.host(configuration.siteURL) ?? "Swiftwater"
    let name = account.email ?? account.phone ?? account.id
    let uri =
      "otpauth://totp/\(issuer.percentEncodedForPath):\(name.percentEncodedForPath)"
      + "?algorithm=SHA1&digits=6&issuer=\(issuer.percentEncodedForQuery)&period=\(TOTP.period)&secret=\(secret.base32)"
    var body: JSONValue = ["secret": .string(secret.base32), "uri": .string(uri)]
    if let code = QRCode(Array(uri.utf8)) { body["qr_code"] = .string(code.svg) }
    return body
  }

  private static func nameConflict(_ name: String) -> AuthError {
    AuthError(
      422, .mfaFactorNameConflict, "A factor with the friendly name \"\(name)\" for this user already exists")
  }

  /// Anonymous users have no factor.
  private func factorOwner(_ call: AuthCall) async throws -> Caller {
    let caller = try await caller(call)
    guard !caller.account.isAnonymous else {
      throw AuthError(403, .noAuthorization, "Anonymous user not allowed to perform these actions")
    }
    return caller
  }

  private func factor(_ call: AuthCall, of account: Account) throws(AuthError) -> Account.Factor {
    let id = try call.identifier("factor_id")
    guard let factor = account.factors.first(where: { $0.id == id }) else { throw .factorNotFound }
    return factor
  }

  /// `POST /factors/{factor_id}/challenge`
  func challenge(_ call: AuthCall) async throws -> ServerResponse {
    let caller = try await factorOwner(call)
    let factor = try factor(call, of: caller.account)
    try limiter.take(.verifications(address: limited(call)))
    let id = Secrets.uuid()
    let code = Secrets.code(length: configuration.codeLength)
    let permit = factor.kind == "phone" ? try permitTextMessage() : nil
    let row = try await database.row(
      FactorStatements.challenge(
        id, factor: factor.id, address: call.address,
        seal: factor.kind == "phone" ? seal.seal(Secrets.link(recipient: id, code: code)) : nil,
        audit: audit(
          .challengeCreated, by: caller.account, call,
          traits: [
            "factor_id": .string(factor.id), "factor_status": factor.isVerified ? "verified" : "unverified",
          ])))
    guard let date = row?.text(0).flatMap({ Int($0) }) else { throw AuthError.factorNotFound }
    if let permit { try await deliverTextMessage(.mfa, to: factor.phone ?? "", code: code, permit) }
    return .json([
      "id": .string(id), "type": .string(factor.kind),
      "expires_at": .integer(date + Int(configuration.challengeLifetime.components.seconds)),
    ])
  }

  /// `POST /factors/{factor_id}/verify`
  func verifyFactor(_ call: AuthCall) async throws -> ServerResponse {
    let caller = try await factorOwner(call)
    let (account, factor) = (caller.account, try factor(call, of: caller.account))
    // By a factor that was verified before, the first level gets to the second: that is what it is for.
    if !factor.isVerified { try checkMayAddFactor(caller) }
    try limiter.take(.verifications(address: limited(call)))
    let wanted = try call.decode(FactorRequest.self)
    guard let code = wanted.code, !code.isEmpty else { throw AuthError.invalid("Code needs to be non-empty") }
    guard let id = wanted.challenge, Self.isUUID(id) else {
      throw AuthError.invalid("challenge_id must be an UUID")
    }
    guard let row = try await database.row(FactorStatements.challenge(id, factor: factor.id, address: call.address))
    else {
      throw AuthError(422, .mfaFactorNotFound, "MFA factor with the provided challenge ID not found")
    }
    let challenge: FactorStatements.Challenge = try row.decode(0)
    guard challenge.isSameAddress else {
      throw AuthError(422, .mfaIPAddressMismatch, "Challenge and verify IP addresses mismatch.")
    }
    let expired = AuthError(
      422, .mfaChallengeExpired,
      "MFA challenge \(id) has expired, verify against another challenge or create a new challenge.")
    guard !challenge.isVerified, .seconds(challenge.age) <= configuration.challengeLifetime else { throw expired }
    var step: Int?
    if let sealed = challenge.seal {
      guard Secrets.equals(seal.seal(Secrets.link(recipient: id.lowercased(), code: code)), sealed) else {
        throw AuthError(422, .mfaVerificationFailed, "Invalid MFA Phone code entered")
      }
    } else {
      step = challenge.secret.flatMap { TOTP(base32: $0) }?.step(of: code, at: challenge.now)
      // A code that somebody has looked at over the user's shoulder is good no more (RFC 6238 §5.2).
      guard let step, step > challenge.lastStep ?? -1 else {
        throw AuthError(422, .mfaVerificationFailed, "Invalid TOTP code entered")
      }
    }
    let token = Secrets.token(length: 22)
    let verification = FactorStatements.verify(
      challenge: id, factor: factor.id, user: account.id, session: caller.session.id,
      method: factor.kind == "phone" ? "mfa/phone" : "totp", step: step, refreshToken: token,
      audit: audit(
        .verificationAttempted, by: account, call,
        traits: ["factor_id": .string(factor.id), "challenge_id": .string(id)]))
    let session = try await database.row(
      FactorStatements.lockSessions(of: account.id), verification,
      FactorStatements.lifted(caller.session.id, refreshToken: token))
    guard let session else { throw expired }
    return try respond(
      Grant(account: try session.decode(0), session: try session.decode(1), refreshToken: token))
  }

  /// `DELETE /factors/{factor_id}`
  func unenroll(_ call: AuthCall) async throws -> ServerResponse {
    let caller = try await factorOwner(call)
    let factor = try factor(call, of: caller.account)
    guard !factor.isVerified || caller.session.level == "aal2" else {
      throw AuthError(422, .insufficientAAL, "AAL2 required to unenroll verified factor")
    }
    try await database.row(
      FactorStatements.delete(
        factor.id, user: caller.account.id,
        audit: audit(.factorUnenrolled, by: caller.account, call, traits: ["factor_id": .string(factor.id)])))
    return .json(["id": .string(factor.id)])
  }

  /// `GET /admin/users/{user_id}/factors`
  func listFactors(_ call: AuthCall) async throws -> ServerResponse {
    let rows = try await database.rows(FactorStatements.list(user: try await account(call).id))
    return .json(.array(try rows.map { try $0.decode(0) }))
  }

  /// `PUT /admin/users/{user_id}/factors/{factor_id}`
  func updateFactor(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await account(call)
    let factor = try factor(call, of: account)
    let wanted = try call.decode(FactorRequest.self)
    let phone = try wanted.phone.map { try Address.phone($0) }
    let row = try await database.row(
      FactorStatements.update(factor.id, user: account.id, name: wanted.name, phone: phone),
      AuditStatements.insert(adminAudit(.factorUpdated, call, id: account.id, email: account.email, phone: phone)),
      FactorStatements.byID(factor.id, user: account.id))
    guard let row else { throw AuthError.factorNotFound }
    return .json(try row.decode(0))
  }

  /// `DELETE /admin/users/{user_id}/factors/{factor_id}`
  func deleteFactor(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await account(call)
    let factor = try factor(call, of: account)
    guard let row = try await database.row(FactorStatements.byID(factor.id, user: account.id)) else {
      throw AuthError.factorNotFound
    }
    try await database.row(
      FactorStatements.delete(
        factor.id, user: account.id,
        audit: adminAudit(.factorDeleted, call, id: account.id, email: account.email, phone: account.phone)))
    return .json(try row.decode(0))
  }
}
