internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// Codes and links that users bring back.
extension AuthEndpoints {
  private struct Verification: Decodable {
    var type: String?
    var token: String?
    var tokenHash: String?
    var email: String?
    var phone: String?

    enum CodingKeys: String, CodingKey {
      case type, token, email, phone
      case tokenHash = "token_hash"
    }
  }

  /// `POST /verify`
  func verify(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.verifications(address: limited(call)))
    let wanted = try call.decode(Verification.self)
    guard let type = wanted.type, !type.isEmpty else { throw AuthError.invalid("Verify requires a verification type") }
    let purposes = try Self.purposes(type)
    let (email, phone, code) = (wanted.email ?? "", wanted.phone ?? "", wanted.token ?? "")
    if let hash = wanted.tokenHash, !hash.isEmpty {
      guard email.isEmpty, phone.isEmpty, code.isEmpty else {
        throw AuthError.invalid("Only the token_hash and type should be provided")
      }
      return try await trying(.linkExpired) {
        let (account, token) = try await find([hash], purposes, .linkExpired, type)
        return try await redeem(token, of: account, call)
      }
    }
    guard !code.isEmpty else { throw AuthError.invalid("Verify requires a token or a token hash") }
    guard email.isEmpty != phone.isEmpty else {
      throw AuthError.invalid("Only an email address or phone number should be provided on verify")
    }
    let isForPhone = type == "sms" || type == "phone_change"
    guard isForPhone == email.isEmpty else {
      throw AuthError.invalid("The type \(type) does not fit what the token was sent to")
    }
    let recipient = isForPhone ? try Address.phone(phone) : try Address.email(email)
    let hash = Secrets.link(recipient: recipient, code: code)
    return try await trying(.codeExpired) {
      let (account, token) = try await find([hash, Self.flowPrefix + hash], purposes, .codeExpired, type)
      guard token.recipient == recipient else { throw AuthError.codeExpired }
      return try await redeem(token, of: account, call)
    }
  }

  /// Looks again when what was found had changed until it was to be taken: the other half of a change of the address was
  /// given meanwhile, or the token is gone, which the next look tells.
  private func trying(
    _ refusal: AuthError, _ body: () async throws -> ServerResponse?
  ) async throws -> ServerResponse {
    for _ in 0..<3 {
      if let response = try await body() { return response }
    }
    throw refusal
  }

  /// `GET /verify`: what the links in mails lead to.
  func followLink(_ call: AuthCall) async throws -> ServerResponse {
    let target = redirects.target(redirect(call))
    let hash = call.parameter("token") ?? call.parameter("token_hash") ?? ""
    let isFlow = hash.hasPrefix(Self.flowPrefix)
    do {
      try limiter.take(.verifications(address: limited(call)))
      guard !hash.isEmpty else { throw AuthError.invalid("Verify requires a token or a token hash") }
      guard let type = call.parameter("type") else { throw AuthError.invalid("Verify requires a verification type") }
      let purposes = try Self.purposes(type)
      guard type != "sms", type != "phone_change" else { throw AuthError.invalid("Invalid email verification type") }
      return try await trying(.linkExpired) {
        let (account, token) = try await find([hash], purposes, .linkExpired, type)
        if isFirstHalf(token, of: account) {
          guard try await takeFirstHalf(token, of: account, call) else { return nil }
          let message: [(name: String, value: String)] = [("message", Self.firstHalfAccepted)]
          return .redirect(to: Self.address(target, query: isFlow ? message : [], fragment: message))
        }
        if isFlow { return try await giveOutCode(token, of: account, type: type, target: target, call) }
        let session = newSession("otp", call)
        guard let grant = try await open(session, by: token, of: account, call) else { return nil }
        return .redirect(to: try redirectAddress(grant, to: target, kind: type))
      }
    } catch let error as AuthError {
      let parameters = error.redirectParameters
      return .redirect(to: Self.address(target, query: isFlow ? parameters : [], fragment: parameters))
    }
  }

  private static let firstHalfAccepted =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email"

  private static func purposes(_ type: String) throws(AuthError) -> [TokenPurpose] {
    switch type {
    case "signup", "invite", "sms": [.confirmation]
    case "recovery", "magiclink": [.recovery]
    case "email": [.confirmation, .recovery]
    case "email_change": [.emailChangeNew, .emailChangeCurrent]
    case "phone_change": [.phoneChange]
    default: throw .invalid("Unsupported verification type")
    }
  }

  /// The token that is sealed by one of the hashes, if it is still good.
  private func find(
    _ hashes: [String], _ purposes: [TokenPurpose], _ refusal: AuthError, _ type: String
  ) async throws -> (Account, OneTimeTokenStatements.Presented) {
    guard
      let row = try await database.row(OneTimeTokenStatements.find(seals: hashes.map(seal.seal), purposes: purposes))
    else { throw refusal }
    let (account, token): (Account, OneTimeTokenStatements.Presented) = (try row.decode(0), try row.decode(1))
    let isForPhone = type == "sms" || type == "phone_change"
    let lifetime = isForPhone ? configuration.phoneCodeLifetime : configuration.mailCodeLifetime
    // A number's code is no address's: both confirm.
    guard .seconds(token.age) <= lifetime, isForPhone != token.recipient.contains("@") else { throw refusal }
    guard !account.isDeleted else { throw refusal }
    guard !account.isBanned else { throw AuthError(403, .userBanned, "User is banned") }
    return (account, token)
  }

  /// Does what the token is for; nil where it has changed since it was found.
  private func redeem(
    _ token: OneTimeTokenStatements.Presented, of account: Account, _ call: AuthCall
  ) async throws -> ServerResponse? {
    if isFirstHalf(token, of: account) {
      guard try await takeFirstHalf(token, of: account, call) else { return nil }
      return .json(["msg": .string(Self.firstHalfAccepted), "code": "200"])
    }
    return try await open(newSession("otp", call), by: token, of: account, call).map(respond)
  }

  /// Whether a change of the address needs both addresses, and this one's owner is the first to consent.
  private func isFirstHalf(_ token: OneTimeTokenStatements.Presented, of account: Account) -> Bool {
    needsBothHalves(token, of: account) && account.emailChangeStatus == 0
  }

  private func needsBothHalves(_ token: OneTimeTokenStatements.Presented, of account: Account) -> Bool {
    (token.purpose == .emailChangeNew || token.purpose == .emailChangeCurrent)
      && configuration.needsBothAddressesForChange && account.email != nil
  }

  /// Takes the token of one address while the other has not consented yet.
  private func takeFirstHalf(
    _ token: OneTimeTokenStatements.Presented, of account: Account, _ call: AuthCall
  ) async throws -> Bool {
    try await database.row(
      OneTimeTokenStatements.take(
        token, of: account.id, if: "u.email_change_confirm_status = 0", effect: "email_change_confirm_status = 1",
        then: AuditStatements.logged(audit(.userModified, by: account, call), from: "changed"))) != nil
  }

  /// What must still hold when a token is taken that ends what it belongs to.
  private func condition(_ token: OneTimeTokenStatements.Presented, of account: Account) -> SQLFragment {
    needsBothHalves(token, of: account) ? "u.email_change_confirm_status = 1" : "true"
  }

  /// What following the token changes in the user's row, and which identity it proves.
  private func effect(_ token: OneTimeTokenStatements.Presented) -> (columns: SQLFragment, provider: String) {
    switch token.purpose {
    case .emailChangeNew, .emailChangeCurrent: (OneTimeTokenStatements.changesEmail, "email")
    case .phoneChange: (OneTimeTokenStatements.changesPhone, "phone")
    default:
      token.recipient.contains("@")
        ? (OneTimeTokenStatements.confirmsEmail, "email") : (OneTimeTokenStatements.confirmsPhone, "phone")
    }
  }

  /// Statements that come behind a change of the address.
  private func identityStatements(_ token: OneTimeTokenStatements.Presented, of account: Account) -> [SQLFragment] {
    switch token.purpose {
    case .emailChangeNew, .emailChangeCurrent:
      let data: JSONValue = [
        "sub": .string(account.id), "email": .string(account.emailChange ?? ""), "email_verified": true,
      ]
      return [
        UserStatements.setIdentity(account.id, provider: "email", data: data), UserStatements.setProviders(account.id),
        OneTimeTokenStatements.forget([.emailChangeNew, .emailChangeCurrent], of: account.id),
      ]
    case .phoneChange:
      let data: JSONValue = [
        "sub": .string(account.id), "phone": .string(account.phoneChange ?? ""), "phone_verified": true,
      ]
      return [
        UserStatements.setIdentity(account.id, provider: "phone", data: data), UserStatements.setProviders(account.id),
      ]
    default: return []
    }
  }

  private func entry(for token: OneTimeTokenStatements.Presented, of account: Account, _ call: AuthCall) -> AuditEntry {
    switch token.purpose {
    case .confirmation: audit(.userSignedUp, by: account, call)
    case .recovery: audit(account.isEmailConfirmed ? .login : .userSignedUp, by: account, call)
    default: audit(.userModified, by: account, call)
    }
  }

  /// Takes a token and opens a session by it; nil where somebody else has taken it.
  private func open(
    _ session: SessionStatements.New, by token: OneTimeTokenStatements.Presented, of account: Account, _ call: AuthCall
  ) async throws -> Grant? {
    let (columns, provider) = effect(token)
    let taking = OneTimeTokenStatements.take(
      token, of: account.id, if: condition(token, of: account), effect: "last_sign_in_at = now(), \(columns)",
      then: """
        \(OneTimeTokenStatements.verifiedIdentity(provider)),
        \(SessionStatements.opened(session, from: "changed")),
        \(AuditStatements.logged(entry(for: token, of: account, call), from: "changed"))
        """)
    let statements = [taking] + identityStatements(token, of: account) + [SessionStatements.byID(session.id)]
    guard let row = try await database.row(statements) else { return nil }
    return Grant(account: try row.decode(0), session: try row.decode(1), refreshToken: session.refreshToken)
  }

  /// Takes a token and sends the browser on with the code of the flow that has asked for it.
  private func giveOutCode(
    _ token: OneTimeTokenStatements.Presented, of account: Account, type: String, target: String, _ call: AuthCall
  ) async throws -> ServerResponse {
    let (columns, provider) = effect(token)
    let method = type == "signup" ? "email/signup" : type
    let noFlow = AuthError(404, .flowStateNotFound, "No associated flow state found.")
    // A link whose type somebody has changed must not use the token up.
    guard try await database.row(FlowStatements.waiting(method: method, user: account.id)) != nil else { throw noFlow }
    let taking = OneTimeTokenStatements.take(
      token, of: account.id, if: condition(token, of: account), effect: columns,
      then: """
        \(OneTimeTokenStatements.verifiedIdentity(provider)),
        \(FlowStatements.codeGivenOut(method: method)),
        \(AuditStatements.logged(entry(for: token, of: account, call), from: "changed"))
        """)
    let code: SQLFragment = """
      SELECT auth_code FROM auth.flow_state
      WHERE user_id = \(account.id)::uuid AND authentication_method = \(method)::text
        AND auth_code_issued_at = now()
      """
    guard let row = try await database.row([taking] + identityStatements(token, of: account) + [code]),
      let text = row.text(0)
    else { throw noFlow }
    return .redirect(to: Self.address(target, query: [("code", text)]))
  }
}
