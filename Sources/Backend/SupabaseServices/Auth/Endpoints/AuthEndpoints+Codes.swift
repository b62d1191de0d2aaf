internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// Requests for codes and links.
extension AuthEndpoints {
  private struct CodeRequest: Decodable {
    var email: String?
    var phone: String?
    var createUser: Bool?
    var data: [String: JSONValue]?
    var type: String?
    var codeChallenge: String?
    var codeChallengeMethod: String?

    enum CodingKeys: String, CodingKey {
      case email, phone, data, type
      case createUser = "create_user"
      case codeChallenge = "code_challenge"
      case codeChallengeMethod = "code_challenge_method"
    }

    func challenge() throws(AuthError) -> PKCEChallenge? {
      try PKCEChallenge(challenge: codeChallenge, method: codeChallengeMethod)
    }

    /// The one address that is wanted.
    func address(_ purpose: String) throws(AuthError) -> (email: String?, phone: String?) {
      let (email, phone) = (self.email ?? "", self.phone ?? "")
      guard email.isEmpty != phone.isEmpty else {
        throw .invalid("Only an email address or phone number should be provided on \(purpose)")
      }
      return email.isEmpty ? (nil, try Address.phone(phone)) : (try Address.email(email), nil)
    }
  }

  /// `POST /otp`
  func sendCode(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(CodeRequest.self)
    let challenge = try wanted.challenge()
    let (email, phone) = try wanted.address("OTP")
    if let email { return try await sendMailCode(email, wanted, challenge, call) }
    guard configuration.allowsPhone else { throw AuthError(400, .phoneProviderDisabled, "Unsupported phone provider") }
    let number = phone ?? ""
    if let account: Account = try await database.row(UserStatements.byPhone(number))?.decode(0) {
      try await sendPhoneCode(to: account)
    } else {
      try checkMayCreate(wanted)
      let permit = try permitTextMessage()
      let user = newUser(phone: number, password: nil, data: wanted.data, isConfirmed: false)
      let entry = AuditEntry(
        action: .userConfirmationRequested, actorID: user.id, actorName: number, traits: ["provider": "phone"],
        address: call.address)
      let account = try await insert(user, entry, orFind: UserStatements.byPhone(number))
      try await sendPhoneCode(to: account, permit: permit)
    }
    return .json(["message_id": .string(Secrets.uuid())])
  }

  /// `POST /magiclink`: `/otp` for mails alone, as older clients send it.
  func sendMagicLink(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(CodeRequest.self)
    return try await sendMailCode(Address.email(wanted.email ?? ""), wanted, wanted.challenge(), call)
  }

  private func sendMailCode(
    _ email: String, _ wanted: CodeRequest, _ challenge: PKCEChallenge?, _ call: AuthCall
  ) async throws -> ServerResponse {
    guard configuration.allowsEmail else { throw AuthError.emailDisabled }
    var permit: Permit?
    let account: Account
    if let known: Account = try await database.row(UserStatements.byEmail(email))?.decode(0) {
      account = known
    } else {
      try checkMayCreate(wanted)
      let isConfirmed = configuration.confirmsEmailAtOnce
      permit = try permitMail(isConfirmed ? .magicLink : .signUp)
      let user = newUser(email: email, password: nil, data: wanted.data, isConfirmed: isConfirmed)
      let entry = AuditEntry(
        action: isConfirmed ? .userSignedUp : .userConfirmationRequested, actorID: user.id, actorName: email,
        traits: ["provider": "email"], address: call.address)
      account = try await insert(user, entry, orFind: UserStatements.byEmail(email))
    }
    if account.isEmailConfirmed {
      try await sendMagicLink(to: account, challenge: challenge, permit: permit, call)
    } else {
      try await sendConfirmation(to: account, challenge: challenge, permit: permit, call)
    }
    return .json([:])
  }

  private func checkMayCreate(_ wanted: CodeRequest) throws(AuthError) {
    guard wanted.createUser != false else { throw AuthError(422, .otpDisabled, "Signups not allowed for otp") }
    guard configuration.allowsSignUp else { throw .signUpDisabled }
  }

  /// `POST /recover`
  func recover(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    guard configuration.allowsEmail else { throw AuthError.emailDisabled }
    let wanted = try call.decode(CodeRequest.self)
    guard let address = wanted.email, !address.isEmpty else {
      throw AuthError.invalid("Password recovery requires an email")
    }
    let (email, challenge) = (try Address.email(address), try wanted.challenge())
    // The answer is the same for whoever is not registered.
    guard let account: Account = try await database.row(UserStatements.byEmail(email))?.decode(0) else {
      return .json([:])
    }
    try checkInterval(since: account.sent.recovery, isMail: true)
    let permit = try permitMail(.recovery)
    try await database.row(AuditStatements.insert(audit(.userRecoveryRequested, by: account, call)))
    try await send(
      Mail(kind: .recovery, purpose: .recovery, recipient: email, challenge: challenge, method: "recovery"),
      to: account, permit, call)
    return .json([:])
  }

  /// `POST /resend`
  func resend(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(CodeRequest.self)
    let (email, phone) = try wanted.address("resend")
    let challenge = try wanted.challenge()
    let isForMail = ["signup", "email_change"].contains(wanted.type)
    guard isForMail || ["sms", "phone_change"].contains(wanted.type) else {
      throw AuthError.invalid("Missing one of these types: signup, email_change, sms, phone_change")
    }
    guard isForMail == (email != nil) else {
      throw AuthError.invalid("Type provided requires \(isForMail ? "an email address" : "a phone number")")
    }
    let statement = email.map(UserStatements.byEmail) ?? UserStatements.byPhone(phone ?? "")
    guard let account: Account = try await database.row(statement)?.decode(0) else { return .json([:]) }
    switch wanted.type {
    case "signup":
      // Whoever is confirmed already gets nothing, and the answer does not tell.
      guard !account.isEmailConfirmed else { break }
      try await sendConfirmation(to: account, challenge: challenge, call)
    case "email_change":
      guard let new = account.emailChange else { break }
      try await sendEmailChange(
        to: account, new, challenge: challenge, permitEmailChange(of: account), call)
    case "sms":
      guard !account.isPhoneConfirmed else { break }
      try await sendPhoneCode(to: account)
    default:
      guard let new = account.phoneChange else { break }
      try await send(.phoneChange, .phoneChange, toPhone: new, of: account, permitPhoneChange(of: account))
    }
    return .json(isForMail ? [:] : ["message_id": .string(Secrets.uuid())])
  }

  /// `GET /reauthenticate`
  func reauthenticate(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await caller(call).account
    if let email = account.email {
      guard account.isEmailConfirmed else {
        throw AuthError(422, .emailNotConfirmed, "Please verify your email first.")
      }
      try checkInterval(since: account.sent.reauthentication, isMail: true)
      let permit = try permitMail(.reauthentication)
      try await database.row(AuditStatements.insert(audit(.userReauthenticateRequested, by: account, call)))
      try await send(
        Mail(kind: .reauthentication, purpose: .reauthentication, recipient: email), to: account, permit,
        call)
      return .json([:])
    }
    guard let phone = account.phone else {
      throw AuthError.invalid("Reauthentication requires the user to have an email or a phone number")
    }
    guard account.isPhoneConfirmed else { throw AuthError(422, .phoneNotConfirmed, "Please verify your phone first.") }
    try checkInterval(since: account.sent.reauthentication, isMail: false)
    let permit = try permitTextMessage()
    try await database.row(AuditStatements.insert(audit(.userReauthenticateRequested, by: account, call)))
    try await send(.reauthentication, .reauthentication, toPhone: phone, of: account, permit)
    return .json(["message_id": .string(Secrets.uuid())])
  }
}
