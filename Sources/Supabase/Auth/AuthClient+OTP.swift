public import FoundationEssentials
public import Helpers

extension AuthClient {
  /// Sends a mail with a link, or a code, that the user signs in with.
  ///
  /// - Parameters:
  ///   - email: The address.
  ///   - redirectTo: Where the link leads; the configured address unless given.
  ///   - shouldCreateUser: Whether an unknown address becomes a user.
  ///   - data: The metadata of a new user.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`; `CancellationError`.
  public func signInWithOTP(
    email: String, redirectTo: URL? = nil, shouldCreateUser: Bool = true, data: [String: JSONValue]? = nil,
    captchaToken: String? = nil
  ) async throws {
    let members = JSONObject.members([
      "email": .string(email), "create_user": .bool(shouldCreateUser), "data": data.map { .object($0) },
      "gotrue_meta_security": .captcha(captchaToken),
    ])
    try await api.perform(
      try AuthRequest(.post, "otp", query: ["redirect_to": redirect(redirectTo)])
        .json(members.merging(try beginFlow().members) { first, _ in first }))
  }

  /// Sends a message with a code that the user signs in with.
  ///
  /// - Parameters:
  ///   - phone: The number, as in E.164.
  ///   - channel: How the code is sent.
  ///   - shouldCreateUser: Whether an unknown number becomes a user.
  ///   - data: The metadata of a new user.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`; `CancellationError`.
  public func signInWithOTP(
    phone: String, channel: MessagingChannel = .sms, shouldCreateUser: Bool = true,
    data: [String: JSONValue]? = nil, captchaToken: String? = nil
  ) async throws {
    try await api.perform(
      try AuthRequest(.post, "otp").json(
        JSONObject.members([
          "phone": .string(phone), "create_user": .bool(shouldCreateUser), "channel": .string(channel.rawValue),
          "data": data.map { .object($0) }, "gotrue_meta_security": .captcha(captchaToken),
        ])))
  }

  /// Signs in by the code of a mail.
  ///
  /// - Parameters:
  ///   - email: The address that the mail was sent to.
  ///   - token: The code.
  ///   - type: What the mail was sent for.
  ///   - redirectTo: Where further mails lead; the configured address unless given.
  ///   - captchaToken: The proof that a person is at work.
  /// - Returns: The session; or the server's word if another address has to confirm as well.
  /// - Throws: `AuthError`, with the code `.otpExpired` if it is not that; `CancellationError`.
  @discardableResult
  public func verifyOTP(
    email: String, token: String, type: EmailOTPType, redirectTo: URL? = nil, captchaToken: String? = nil
  ) async throws -> VerifyOTPResponse {
    try await verify(
      .members([
        "email": .string(email), "token": .string(token), "type": .string(type.rawValue),
        "gotrue_meta_security": .captcha(captchaToken),
      ]), redirectTo: redirect(redirectTo), isRecovery: type == .recovery)
  }

  /// Signs in by the code of a message.
  ///
  /// - Parameters:
  ///   - phone: The number that the message was sent to.
  ///   - token: The code.
  ///   - type: What the message was sent for.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`, with the code `.otpExpired` if it is not that; `CancellationError`.
  @discardableResult
  public func verifyOTP(
    phone: String, token: String, type: MobileOTPType, captchaToken: String? = nil
  ) async throws -> VerifyOTPResponse {
    try await verify(
      .members([
        "phone": .string(phone), "token": .string(token), "type": .string(type.rawValue),
        "gotrue_meta_security": .captcha(captchaToken),
      ]), redirectTo: nil, isRecovery: false)
  }

  /// Signs in by the hash of a code, as links of the project's own mails have it.
  ///
  /// - Parameters:
  ///   - tokenHash: The hash.
  ///   - type: What the mail was sent for.
  /// - Throws: `AuthError`, with the code `.otpExpired` if it is not that; `CancellationError`.
  @discardableResult
  public func verifyOTP(tokenHash: String, type: EmailOTPType) async throws -> VerifyOTPResponse {
    try await verify(
      ["token_hash": .string(tokenHash), "type": .string(type.rawValue)], redirectTo: nil,
      isRecovery: type == .recovery)
  }

  private func verify(
    _ members: JSONObject, redirectTo: String?, isRecovery: Bool
  ) async throws -> VerifyOTPResponse {
    let response: VerifyOTPResponse = try await api.value(
      try AuthRequest(.post, "verify", query: ["redirect_to": redirectTo]).json(members))
    if let session = response.session {
      try await keep(session, events: isRecovery ? [.signedIn, .passwordRecovery] : [.signedIn])
    }
    return response
  }

  /// Sends a mail again. Whether the address is known cannot be told from the answer.
  ///
  /// - Parameters:
  ///   - email: The address.
  ///   - type: Which mail.
  ///   - emailRedirectTo: Where the mail leads; the configured address unless given.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`; `CancellationError`.
  public func resend(
    email: String, type: ResendEmailType, emailRedirectTo: URL? = nil, captchaToken: String? = nil
  ) async throws {
    try await api.perform(
      try AuthRequest(.post, "resend", query: ["redirect_to": redirect(emailRedirectTo)]).json(
        JSONObject.members([
          "email": .string(email), "type": .string(type.rawValue), "gotrue_meta_security": .captcha(captchaToken),
        ])))
  }

  /// Sends a message again. Whether the number is known cannot be told from the answer.
  ///
  /// - Parameters:
  ///   - phone: The number.
  ///   - type: Which message.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func resend(
    phone: String, type: ResendMobileType, captchaToken: String? = nil
  ) async throws -> ResendMobileResponse {
    try await api.value(
      try AuthRequest(.post, "resend").json(
        JSONObject.members([
          "phone": .string(phone), "type": .string(type.rawValue), "gotrue_meta_security": .captcha(captchaToken),
        ])))
  }

  /// Sends a mail to a user who has lost the password. Whoever follows its link is signed in, `PASSWORD_RECOVERY` is
  /// told, and ``update(user:redirectTo:)`` sets a new one.
  ///
  /// - Parameters:
  ///   - email: The address.
  ///   - redirectTo: Where the link leads; the configured address unless given.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`; `CancellationError`.
  public func resetPasswordForEmail(
    _ email: String, redirectTo: URL? = nil, captchaToken: String? = nil
  ) async throws {
    let members = JSONObject.members([
      "email": .string(email), "gotrue_meta_security": .captcha(captchaToken),
    ])
    try await api.perform(
      try AuthRequest(.post, "recover", query: ["redirect_to": redirect(redirectTo)])
        .json(members.merging(try beginFlow(isRecovery: true).members) { first, _ in first }))
  }

  /// Sends the user a code that some changes ask for, as `nonce`.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func reauthenticate() async throws {
    _ = try await authorized(AuthRequest(.get, "reauthenticate"))
  }

  /// Where a browser or mail leads.
  func redirect(_ url: URL?) -> String? { (url ?? configuration.redirectToURL)?.absoluteString }
}
