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

  /// Leave to send a message. Requests get it before they write anything: where nothing can be sent, nothing changes.
  /// Only a delivery that fails while sending leaves what was written, such as a new user, as in GoTrue.
  struct Permit {
    fileprivate let delivery: any MessageDelivery
  }

  /// Leave to send so many mails; fails where the backend cannot send any, or has sent too many.
  func permitMail(_ kind: AuthMessage.Kind, count: Int = 1) throws(AuthError) -> Permit {
    guard let delivery else {
      throw .unexpected("Error sending \(kind.rawValue) email: the backend has no way to send mails")
    }
    for _ in 0..<count { try limiter.take(.emails) }
    return Permit(delivery: delivery)
  }

  /// Leave to send a text message; fails where the backend cannot send any, or has sent too many.
  func permitTextMessage() throws(AuthError) -> Permit {
    guard let delivery else {
      throw AuthError(
        422, .smsSendFailed, "Error sending sms OTP: the backend has no way to send text messages")
    }
    try limiter.take(.textMessages)
    return Permit(delivery: delivery)
  }

  /// Sends a code and a link, which take the place of the last ones of their purpose.
  func send(_ mail: Mail, to account: Account, _ permit: Permit, _ call: AuthCall) async throws {
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
      try await permit.delivery.deliver(
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
    setting change: SQLFragment = "", _ permit: Permit
  ) async throws {
    let code = Secrets.code(length: configuration.codeLength)
    try await database.row(
      OneTimeTokenStatements.issue(
        purpose, for: account.id, seal: seal.seal(Secrets.link(recipient: phone, code: code)), recipient: phone,
        setting: change))
    try await deliverTextMessage(kind, to: phone, code: code, permit)
  }

  func deliverTextMessage(
    _ kind: AuthMessage.Kind, to phone: String, code: String, _ permit: Permit
  ) async throws {
    do {
      try await permit.delivery.deliver(
        MessageWriter(externalURL: externalURL).textMessage(kind, to: phone, code: code))
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw AuthError(422, .smsSendFailed, "Error sending sms OTP")
    }
  }

  /// Fails when the last message was sent only just now.
  func checkInterval(since age: Double?, isMail: Bool) throws(AuthError) {
    let interval = isMail ? limiter.emailInterval : limiter.textMessageInterval
    // Of two at once, one may have begun before the other's message went.
    guard let age, interval > .zero, .seconds(age) < interval else { return }
    let rest = Int((interval - .seconds(age)).components.seconds) + 1
    throw .tooSoon(isMail ? .overEmailSendRateLimit : .overSMSSendRateLimit, seconds: rest)
  }

  /// - Parameter permit: where the request has written something already; nil to get one.
  func sendConfirmation(
    to account: Account, challenge: PKCEChallenge?, permit: Permit? = nil, _ call: AuthCall
  ) async throws {
    try checkInterval(since: account.sent.confirmation, isMail: true)
    try await send(
      Mail(
        kind: .signUp, purpose: .confirmation, recipient: account.email ?? "", challenge: challenge,
        method: "email/signup"), to: account, try permit ?? permitMail(.signUp), call)
  }

  /// - Parameter permit: where the request has written something already; nil to get one.
  func sendMagicLink(
    to account: Account, challenge: PKCEChallenge?, permit: Permit? = nil, _ call: AuthCall
  ) async throws {
    try checkInterval(since: account.sent.recovery, isMail: true)
    try await send(
      Mail(
        kind: .magicLink, purpose: .recovery, recipient: account.email ?? "", challenge: challenge,
        method: "magiclink"), to: account, try permit ?? permitMail(.magicLink), call)
  }

  /// - Parameter permit: where the request has written something already; nil to get one.
  func sendPhoneCode(to account: Account, permit: Permit? = nil) async throws {
    try checkInterval(since: account.sent.confirmation, isMail: false)
    try await send(.sms, .confirmation, toPhone: account.phone ?? "", of: account, try permit ?? permitTextMessage())
  }

  /// Leave to ask for consent to a new address.
  func permitEmailChange(of account: Account) throws(AuthError) -> Permit {
    try checkInterval(since: account.sent.emailChange, isMail: true)
    return try permitMail(
      .emailChange, count: configuration.needsBothAddressesForChange && account.email != nil ? 2 : 1)
  }

  /// Leave to ask for consent to a new phone number.
  func permitPhoneChange(of account: Account) throws(AuthError) -> Permit {
    try checkInterval(since: account.sent.phoneChange, isMail: false)
    return try permitTextMessage()
  }

  /// Asks the new address, and the current one where both are to consent.
  func sendEmailChange(
    to account: Account, _ address: String, challenge: PKCEChallenge?, _ permit: Permit, _ call: AuthCall
  ) async throws {
    let change: SQLFragment = "email_change = \(address)::text, email_change_confirm_status = 0, "
    if configuration.needsBothAddressesForChange, let current = account.email {
      try await send(
        Mail(
          kind: .emailChange, purpose: .emailChangeCurrent, recipient: current, challenge: challenge,
          method: "email_change", newAddress: address, change: change), to: account, permit, call)
    }
    try await send(
      Mail(
        kind: .emailChange, purpose: .emailChangeNew, recipient: address, challenge: challenge,
        method: "email_change", newAddress: address, change: change), to: account, permit, call)
  }
}
