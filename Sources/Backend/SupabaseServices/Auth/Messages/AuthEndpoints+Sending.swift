internal import SwiftwaterHTTP

// Codes and links to users.
extension AuthEndpoints {
  /// A mail that is to be sent.
  struct Mail {
    var kind: AuthMessage.Kind
    var purpose: TokenPurpose
    var recipient: String
    /// What the code is bound to, if the browser that follows the link is to redeem it.
    var challenge: PKCEChallenge?
    /// How the user signs in by it, as flows name it.
    var method = "otp"
    /// The new address, where one changes.
    var newAddress: String?
    /// What else is set in the user's row.
    var change: SQLFragment = ""
  }

  /// Sends a code and a link, which take the place of the last ones of their purpose.
  func send(_ mail: Mail, to account: Account, _ call: AuthCall) async throws {
    guard let delivery else {
      throw AuthError.unexpected("Error sending \(mail.kind.rawValue) email: the backend has no way to send mails")
    }
    try limiter.take(.emails)
    let code = Secrets.code(length: configuration.codeLength)
    let hash = (mail.challenge == nil ? "" : Self.flowPrefix) + Secrets.link(recipient: mail.recipient, code: code)
    var statements: [SQLFragment] = []
    if let challenge = mail.challenge {
      let provider = mail.kind == .recovery ? "recovery" : "email"
      statements.append(
        FlowStatements.begin(
          .init(user: account.id, challenge: challenge, provider: provider, method: mail.method)))
    }
    statements.append(
      OneTimeTokenStatements.issue(
        mail.purpose, for: account.id, seal: seal.seal(hash), recipient: mail.recipient, setting: mail.change))
    try await database.row(statements)
    do {
      try await delivery.deliver(
        MessageWriter(externalURL: externalURL).mail(
          mail.kind, to: mail.recipient, code: code, hash: hash, redirect: redirects.target(redirect(call)),
          newAddress: mail.newAddress))
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw AuthError.unexpected("Error sending \(mail.kind.rawValue) email")
    }
  }

  /// What tokens of PKCE flows begin with.
  static let flowPrefix = "pkce_"

  /// Where the request wants the user's browser to go.
  func redirect(_ call: AuthCall) -> String? { call.parameter("redirect_to") }

  /// Sends a code to a phone.
  func send(
    _ kind: AuthMessage.Kind, _ purpose: TokenPurpose, toPhone phone: String, of account: Account,
    setting change: SQLFragment = "", _ call: AuthCall
  ) async throws {
    let code = Secrets.code(length: configuration.codeLength)
    guard delivery != nil else { throw Self.noTextMessages }
    try limiter.take(.textMessages)
    try await database.row(
      OneTimeTokenStatements.issue(
        purpose, for: account.id, seal: seal.seal(Secrets.link(recipient: phone, code: code)), recipient: phone,
        setting: change))
    try await deliverTextMessage(kind, to: phone, code: code)
  }

  func deliverTextMessage(_ kind: AuthMessage.Kind, to phone: String, code: String) async throws {
    guard let delivery else { throw Self.noTextMessages }
    do {
      try await delivery.deliver(MessageWriter(externalURL: externalURL).textMessage(kind, to: phone, code: code))
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw AuthError(422, .smsSendFailed, "Error sending sms OTP")
    }
  }

  private static let noTextMessages = AuthError(
    422, .smsSendFailed, "Error sending sms OTP: the backend has no way to send text messages")

  /// Fails when the last message was sent only just now.
  func checkInterval(since age: Double?, isMail: Bool) throws(AuthError) {
    let interval = isMail ? limiter.emailInterval : limiter.textMessageInterval
    // Of two at once, one may have begun before the other's message went.
    guard let age, interval > .zero, .seconds(age) < interval else { return }
    let rest = Int((interval - .seconds(age)).components.seconds) + 1
    throw .tooSoon(isMail ? .overEmailSendRateLimit : .overSMSSendRateLimit, seconds: rest)
  }

  func sendConfirmation(to account: Account, challenge: PKCEChallenge?, _ call: AuthCall) async throws {
    try checkInterval(since: account.sent.confirmation, isMail: true)
    try await send(
      Mail(
        kind: .signUp, purpose: .confirmation, recipient: account.email ?? "", challenge: challenge,
        method: "email/signup"), to: account, call)
  }

  func sendMagicLink(to account: Account, challenge: PKCEChallenge?, _ call: AuthCall) async throws {
    try checkInterval(since: account.sent.recovery, isMail: true)
    try await send(
      Mail(
        kind: .magicLink, purpose: .recovery, recipient: account.email ?? "", challenge: challenge,
        method: "magiclink"), to: account, call)
  }

  func sendPhoneCode(to account: Account, _ call: AuthCall) async throws {
    try checkInterval(since: account.sent.confirmation, isMail: false)
    try await send(.sms, .confirmation, toPhone: account.phone ?? "", of: account, call)
  }

  /// Asks the new address, and the current one where both are to consent.
  func sendEmailChange(to account: Account, _ address: String, challenge: PKCEChallenge?, _ call: AuthCall) async throws
  {
    try checkInterval(since: account.sent.emailChange, isMail: true)
    let change: SQLFragment = "email_change = \(address)::text, email_change_confirm_status = 0, "
    if configuration.needsBothAddressesForChange, let current = account.email {
      try await send(
        Mail(
          kind: .emailChange, purpose: .emailChangeCurrent, recipient: current, challenge: challenge,
          method: "email_change", newAddress: address, change: change), to: account, call)
    }
    try await send(
      Mail(
        kind: .emailChange, purpose: .emailChangeNew, recipient: address, challenge: challenge,
        method: "email_change", newAddress: address, change: change), to: account, call)
  }
}
