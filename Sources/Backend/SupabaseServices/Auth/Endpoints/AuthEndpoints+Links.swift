internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// Invitations, and links that an administrator sends by other means.
extension AuthEndpoints {
  private struct LinkRequest: Decodable {
    var type: String?
    var email: String?
    var newEmail: String?
    var password: String?
    var data: [String: JSONValue]?
    var redirectTo: String?

    enum CodingKeys: String, CodingKey {
      case type, email, password, data
      case newEmail = "new_email"
      case redirectTo = "redirect_to"
    }
  }

  /// `POST /invite`
  func invite(_ call: AuthCall) async throws -> ServerResponse {
    let wanted = try call.decode(LinkRequest.self)
    let email = try Address.email(wanted.email ?? "")
    let known = try await invitable(email)
    let permit = try permitMail(.invite)
    let account = try await invited(known, email, data: wanted.data, call)
    try await send(
      Mail(
        kind: .invite, purpose: .confirmation, recipient: email, method: "invite", change: "invited_at = now(), "),
      to: account, permit, call)
    return .json(try await reload(account).profile)
  }

  /// Who has the address; fails where somebody uses it.
  private func invitable(_ email: String) async throws -> Account? {
    let account: Account? = try await database.row(UserStatements.byEmail(email))?.decode(0)
    if let account, account.isEmailConfirmed { throw AuthError.emailExists }
    return account
  }

  /// Who is invited: made where nobody has that address.
  private func invited(
    _ known: Account?, _ email: String, data: [String: JSONValue]?, _ call: AuthCall
  ) async throws -> Account {
    if let known { return known }
    var user = newUser(email: email, password: nil, data: data, isConfirmed: false)
    user.isInvited = true
    return try await insert(user, adminAudit(.userInvited, call, id: user.id, email: email, phone: nil))
  }

  /// `POST /admin/generate_link`
  func generateLink(_ call: AuthCall) async throws -> ServerResponse {
    let wanted = try call.decode(LinkRequest.self)
    let email = try Address.email(wanted.email ?? "")
    var type = wanted.type ?? ""
    var account: Account? = try await database.row(UserStatements.byEmail(email))?.decode(0)
    if account == nil {
      switch type {
      // Whoever is not registered is by the link.
      case "magiclink": type = "signup"
      case "recovery", "email_change_current", "email_change_new":
        throw AuthError(404, .userNotFound, "User with this email not found")
      default: break
      }
    }
    var (recipient, purpose, change): (String, TokenPurpose, SQLFragment) = (email, .confirmation, "")
    switch type {
    case "magiclink", "recovery": purpose = .recovery
    case "invite":
      account = try await invited(try await invitable(email), email, data: wanted.data, call)
      change = "invited_at = now(), "
    case "signup":
      if let account, account.isEmailConfirmed { throw AuthError.emailExists }
      if account == nil {
        let password = wanted.password.flatMap { $0.isEmpty ? nil : $0 }
        guard wanted.type == "magiclink" || password != nil else {
          throw AuthError.invalid("Signup requires a valid password")
        }
        if let password { try check(password: password) }
        let user = newUser(email: email, password: password, data: wanted.data, isConfirmed: false)
        account = try await insert(user, adminAudit(.userSignedUp, call, id: user.id, email: email, phone: nil))
      }
    case "email_change_current", "email_change_new":
      guard configuration.needsBothAddressesForChange || type == "email_change_new" else {
        throw AuthError.invalid("Enable secure email change to generate link for current email")
      }
      let new = try Address.email(wanted.newEmail ?? "")
      if try await database.row(UserStatements.byEmail(new)) != nil { throw AuthError.emailExists }
      purpose = type == "email_change_new" ? .emailChangeNew : .emailChangeCurrent
      if purpose == .emailChangeNew { recipient = new }
      change = "email_change = \(new)::text, email_change_confirm_status = 0, "
    default: throw AuthError.invalid("Invalid email action link type requested: \(type)")
    }
    guard let account else { throw AuthError.userNotFound }
    let code = Secrets.code(length: configuration.codeLength)
    let hash = Secrets.link(recipient: recipient, code: code)
    try await database.row(
      OneTimeTokenStatements.issue(
        purpose, for: account.id, seal: seal.seal(hash), recipient: recipient, setting: change))
    let redirect = redirects.target(wanted.redirectTo ?? self.redirect(call))
    let kind = purpose == .emailChangeNew || purpose == .emailChangeCurrent ? "email_change" : type
    var body = try await reload(account).profile
    body["action_link"] = .string(
      MessageWriter(externalURL: externalURL).link(hash, kind: .init(rawValue: kind), redirect: redirect))
    body["email_otp"] = .string(code)
    body["hashed_token"] = .string(hash)
    body["verification_type"] = .string(type)
    body["redirect_to"] = .string(redirect)
    return .json(body)
  }
}
