internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

// New users.
extension AuthEndpoints {
  private struct SignUp: Decodable {
    var email: String?
    var phone: String?
    var password: String?
    var data: [String: JSONValue]?
    var codeChallenge: String?
    var codeChallengeMethod: String?

    enum CodingKeys: String, CodingKey {
      case email, phone, password, data
      case codeChallenge = "code_challenge"
      case codeChallengeMethod = "code_challenge_method"
    }
  }

  /// `POST /signup`
  func signUp(_ call: AuthCall) async throws -> ServerResponse {
    let wanted = try call.decode(SignUp.self)
    let (email, phone) = (wanted.email ?? "", wanted.phone ?? "")
    guard configuration.allowsSignUp else { throw AuthError.signUpDisabled }
    if email.isEmpty, phone.isEmpty { return try await signUpAnonymously(call, data: wanted.data) }
    try limiter.take(.signIns(address: limited(call)))
    guard let password = wanted.password, !password.isEmpty else {
      throw AuthError.invalid("Signup requires a valid password")
    }
    guard email.isEmpty || phone.isEmpty else {
      throw AuthError.invalid("Only an email address or phone number should be provided on signup.")
    }
    try check(password: password)
    let challenge = try PKCEChallenge(challenge: wanted.codeChallenge, method: wanted.codeChallengeMethod)
    if email.isEmpty {
      guard challenge == nil else { throw AuthError.invalid("PKCE not supported for phone signups") }
      return try await signUp(phone: Address.phone(phone), password: password, data: wanted.data, call)
    }
    return try await signUp(
      email: Address.email(email), password: password, data: wanted.data, challenge: challenge, call)
  }

  /// Fails for a password that is too weak or too long.
  func check(password: String) throws(AuthError) {
    guard password.utf8.count <= PasswordRules.maximumLength else {
      throw .invalid("Password cannot be longer than \(PasswordRules.maximumLength) characters")
    }
    if let fault = configuration.passwords.fault(of: password) { throw .weak(fault) }
  }

  private func signUpAnonymously(_ call: AuthCall, data: [String: JSONValue]?) async throws -> ServerResponse {
    guard configuration.allowsAnonymousUsers else {
      throw AuthError(422, .anonymousProviderDisabled, "Anonymous sign-ins are disabled")
    }
    try limiter.take(.anonymousUsers(address: limited(call)))
    var user = UserStatements.New(
      audience: configuration.audience, role: configuration.role, appMetadata: [:],
      userMetadata: .object(data ?? [:]))
    user.isAnonymous = true
    let session = newSession("anonymous", call)
    let entry = AuditEntry(action: .userSignedUp, actorID: user.id, actorName: "", address: call.address)
    return try respond(
      await grant(
        session,
        UserStatements.insert(
          user, cost: configuration.passwordCost, crypto: try await database.crypto(), audit: entry),
        SessionStatements.open(
          session, for: user.id,
          audit: AuditEntry(
            action: .login, actorID: user.id, actorName: "", traits: ["provider": "anonymous"], address: call.address)))
    )
  }

  private func signUp(
    email: String, password: String, data: [String: JSONValue]?, challenge: PKCEChallenge?, _ call: AuthCall
  ) async throws -> ServerResponse {
    guard configuration.allowsEmail else {
      throw AuthError(400, .emailProviderDisabled, "Email signups are disabled")
    }
    let known: Account? = try await database.row(UserStatements.byEmail(email))?.decode(0)
    var account: Account
    var permit: Permit?
    if let known {
      if known.isEmailConfirmed {
        return try await repeatedSignUp(known, provider: "email", email, password, data, call)
      }
      account = known
    } else {
      if !configuration.confirmsEmailAtOnce { permit = try permitMail(.signUp) }
      let user = newUser(email: email, password: password, data: data, isConfirmed: configuration.confirmsEmailAtOnce)
      let entry = AuditEntry(
        action: configuration.confirmsEmailAtOnce ? .userSignedUp : .userConfirmationRequested, actorID: user.id,
        actorName: email, traits: ["provider": "email"], address: call.address)
      do {
        if configuration.confirmsEmailAtOnce { return try await signUpAndIn(user, entry, call) }
        account = try await insert(user, entry)
      } catch let error as PostgresError where error.sqlState == "23505" {
        // Somebody else has just signed up by that address.
        guard let other: Account = try await database.row(UserStatements.byEmail(email))?.decode(0) else { throw error }
        if other.isEmailConfirmed {
          return try await repeatedSignUp(other, provider: "email", email, password, data, call)
        }
        account = other
      }
    }
    try await sendConfirmation(to: account, challenge: challenge, permit: permit, call)
    account = try await reload(account)
    return .json(account.profile)
  }

  private func signUp(
    phone: String, password: String, data: [String: JSONValue]?, _ call: AuthCall
  ) async throws -> ServerResponse {
    guard configuration.allowsPhone else {
      throw AuthError(400, .phoneProviderDisabled, "Phone signups are disabled")
    }
    if let known: Account = try await database.row(UserStatements.byPhone(phone))?.decode(0) {
      if known.isPhoneConfirmed {
        return try await repeatedSignUp(known, provider: "phone", phone, password, data, call)
      }
      try await sendPhoneCode(to: known)
      return .json(try await reload(known).profile)
    }
    let user = newUser(phone: phone, password: password, data: data, isConfirmed: configuration.confirmsPhoneAtOnce)
    let entry = AuditEntry(
      action: configuration.confirmsPhoneAtOnce ? .userSignedUp : .userConfirmationRequested, actorID: user.id,
      actorName: phone, traits: ["provider": "phone"], address: call.address)
    if configuration.confirmsPhoneAtOnce { return try await signUpAndIn(user, entry, call) }
    let permit = try permitTextMessage()
    let account = try await insert(user, entry, orFind: UserStatements.byPhone(phone))
    try await sendPhoneCode(to: account, permit: permit)
    return .json(try await reload(account).profile)
  }

  /// A user with the identity of an address.
  func newUser(
    email: String? = nil, phone: String? = nil, password: String?, data: [String: JSONValue]?, isConfirmed: Bool
  ) -> UserStatements.New {
    let provider = email == nil ? "phone" : "email"
    var user = UserStatements.New(
      audience: configuration.audience, role: configuration.role, email: email, phone: phone, password: password,
      appMetadata: ["provider": .string(provider), "providers": [.string(provider)]])
    var claims: [String: JSONValue] = [
      "sub": .string(user.id), "email_verified": .bool(email != nil && isConfirmed),
      "phone_verified": .bool(email == nil && isConfirmed),
    ]
    if let email { claims["email"] = .string(email) }
    if let phone { claims["phone"] = .string(phone) }
    user.userMetadata = .object((data ?? [:]).merging(claims) { _, claim in claim })
    user.identities = [
      ["provider": .string(provider), "provider_id": .string(user.id), "data": .object(claims)]
    ]
    user.isEmailConfirmed = email != nil && isConfirmed
    user.isPhoneConfirmed = email == nil && isConfirmed
    return user
  }

  /// Makes a user.
  func insert(_ user: UserStatements.New, _ entry: AuditEntry) async throws -> Account {
    let crypto = try await database.crypto()
    guard
      let row = try await database.row(
        UserStatements.insert(user, cost: configuration.passwordCost, crypto: crypto, audit: entry),
        UserStatements.byID(user.id))
    else { throw AuthError.unexpected("Database error saving new user") }
    return try row.decode(0)
  }

  /// Makes a user, or finds the one that somebody else has just made by the same address.
  func insert(_ user: UserStatements.New, _ entry: AuditEntry, orFind other: SQLFragment) async throws -> Account {
    do {
      return try await insert(user, entry)
    } catch let error as PostgresError where error.sqlState == "23505" {
      guard let row = try await database.row(other) else { throw error }
      return try row.decode(0)
    }
  }

  private func signUpAndIn(
    _ user: UserStatements.New, _ entry: AuditEntry, _ call: AuthCall
  ) async throws -> ServerResponse {
    let session = newSession("password", call)
    var login = entry
    login.action = .login
    return try respond(
      await grant(
        session,
        UserStatements.insert(
          user, cost: configuration.passwordCost, crypto: try await database.crypto(), audit: entry),
        SessionStatements.open(session, for: user.id, audit: login)))
  }

  /// The answer to whoever signs up by an address that is somebody's: nothing that tells so.
  private func repeatedSignUp(
    _ known: Account, provider: String, _ address: String, _ password: String, _ data: [String: JSONValue]?,
    _ call: AuthCall
  ) async throws -> ServerResponse {
    try await database.row(
      UserStatements.hash(password, cost: configuration.passwordCost, crypto: try await database.crypto()),
      AuditStatements.insert(
        audit(.userRepeatedSignUp, by: known, call, traits: ["provider": .string(provider)])))
    if provider == "email" ? configuration.confirmsEmailAtOnce : configuration.confirmsPhoneAtOnce {
      throw AuthError(422, .userAlreadyExists, "User already registered")
    }
    let now = try await database.row("SELECT \(raw: AuthSQL.time("now()"))")?.text(0) ?? ""
    return .json([
      "id": .string(Secrets.uuid()), "aud": .string(configuration.audience), "role": "",
      "email": .string(provider == "email" ? address : ""), "phone": .string(provider == "phone" ? address : ""),
      "confirmation_sent_at": .string(now),
      "app_metadata": [
        "provider": .string(provider), "providers": [.string(provider)],
      ], "user_metadata": .object(data ?? [:]), "identities": [], "created_at": .string(now),
      "updated_at": .string(now), "is_anonymous": false,
    ])
  }

  /// The user as the database has it now.
  func reload(_ account: Account) async throws -> Account {
    guard let row = try await database.row(UserStatements.byID(account.id)) else { throw AuthError.userNotFound }
    return try row.decode(0)
  }
}
