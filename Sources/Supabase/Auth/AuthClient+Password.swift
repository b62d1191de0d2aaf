public import FoundationEssentials
public import Helpers

extension AuthClient {
  /// Signs up a user by address and password.
  ///
  /// - Parameters:
  ///   - email: The address.
  ///   - password: The password.
  ///   - data: The user's metadata.
  ///   - redirectTo: Where the mail leads; the configured address unless given.
  ///   - captchaToken: The proof that a person is at work.
  /// - Returns: The session, or the user if the address has to be confirmed first.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func signUp(
    email: String, password: String, data: [String: JSONValue]? = nil, redirectTo: URL? = nil,
    captchaToken: String? = nil
  ) async throws -> AuthResponse {
    try await signUp(
      .members([
        "email": .string(email), "password": .string(password), "data": data.map { .object($0) },
        "gotrue_meta_security": .captcha(captchaToken),
      ]).merging(try beginFlow().members) { first, _ in first }, redirectTo: redirectTo ?? configuration.redirectToURL)
  }

  /// Signs up a user by number and password.
  ///
  /// - Parameters:
  ///   - phone: The number, as in E.164.
  ///   - password: The password.
  ///   - channel: How the code for confirming it is sent.
  ///   - data: The user's metadata.
  ///   - captchaToken: The proof that a person is at work.
  /// - Returns: The session, or the user if the number has to be confirmed first.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func signUp(
    phone: String, password: String, channel: MessagingChannel = .sms, data: [String: JSONValue]? = nil,
    captchaToken: String? = nil
  ) async throws -> AuthResponse {
    try await signUp(
      .members([
        "phone": .string(phone), "password": .string(password), "channel": .string(channel.rawValue),
        "data": data.map { .object($0) }, "gotrue_meta_security": .captcha(captchaToken),
      ]), redirectTo: nil)
  }

  private func signUp(_ members: JSONObject, redirectTo: URL?) async throws -> AuthResponse {
    let response: AuthResponse = try await api.value(
      try AuthRequest(.post, "signup", query: ["redirect_to": redirectTo?.absoluteString]).json(members))
    if let session = response.session { try await keep(session) }
    return response
  }

  /// Signs in by address and password.
  ///
  /// - Throws: `AuthError`, with the code `.invalidCredentials` if one of them is wrong; `CancellationError`.
  @discardableResult
  public func signIn(email: String, password: String, captchaToken: String? = nil) async throws -> Session {
    try await signIn(
      grant: "password",
      .members([
        "email": .string(email), "password": .string(password), "gotrue_meta_security": .captcha(captchaToken),
      ]))
  }

  /// Signs in by number and password.
  ///
  /// - Throws: `AuthError`, with the code `.invalidCredentials` if one of them is wrong; `CancellationError`.
  @discardableResult
  public func signIn(phone: String, password: String, captchaToken: String? = nil) async throws -> Session {
    try await signIn(
      grant: "password",
      .members([
        "phone": .string(phone), "password": .string(password), "gotrue_meta_security": .captcha(captchaToken),
      ]))
  }

  /// Signs in as a new user who has neither address nor number, and can get them later.
  ///
  /// - Parameters:
  ///   - data: The user's metadata.
  ///   - captchaToken: The proof that a person is at work.
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func signInAnonymously(
    data: [String: JSONValue]? = nil, captchaToken: String? = nil
  ) async throws -> Session {
    let session: Session = try await api.value(
      try AuthRequest(.post, "signup").json(
        JSONObject.members([
          "data": data.map { .object($0) }, "gotrue_meta_security": .captcha(captchaToken),
        ])))
    try await keep(session)
    return session
  }

  /// Signs in by a token that a provider has issued to the app, such as Sign in with Apple's.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func signInWithIdToken(credentials: OpenIDConnectCredentials) async throws -> Session {
    try await signIn(grant: "id_token", credentials.members(linksIdentity: false))
  }

  /// Signs in by a message that the user's wallet has signed.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  @discardableResult
  public func signInWithWeb3(credentials: Web3Credentials) async throws -> Session {
    try await signIn(
      grant: "web3",
      .members([
        "chain": .string(credentials.chain.rawValue), "message": .string(credentials.message),
        "signature": .string(credentials.signature),
        "gotrue_meta_security": .captcha(credentials.gotrueMetaSecurity?.captchaToken),
      ]))
  }

  /// Exchanges credentials for a session, and keeps it.
  private func signIn(grant: String, _ members: JSONObject) async throws -> Session {
    let session: Session = try await api.value(
      try AuthRequest(.post, "token", query: ["grant_type": grant]).json(members))
    try await keep(session)
    return session
  }
}

extension OpenIDConnectCredentials {
  /// The members of the request.
  func members(linksIdentity: Bool) -> JSONObject {
    .members([
      "provider": .string(provider.rawValue), "id_token": .string(idToken), "access_token": .text(accessToken),
      "nonce": .text(nonce), "gotrue_meta_security": .captcha(gotrueMetaSecurity?.captchaToken),
      "link_identity": .bool(linksIdentity),
    ])
  }
}
