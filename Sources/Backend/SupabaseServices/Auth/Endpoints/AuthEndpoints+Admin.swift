internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

// Users as administrators see and change them.
extension AuthEndpoints {
  private struct UserRequest: Decodable {
    var id: String?
    var audience: String?
    var role: String?
    var email: String?
    var phone: String?
    var password: String?
    var passwordHash: String?
    var confirmsEmail: Bool?
    var confirmsPhone: Bool?
    var userMetadata: [String: JSONValue]?
    var appMetadata: [String: JSONValue]?
    var banDuration: String?

    enum CodingKeys: String, CodingKey {
      case id, role, email, phone, password
      case audience = "aud"
      case passwordHash = "password_hash"
      case confirmsEmail = "email_confirm"
      case confirmsPhone = "phone_confirm"
      case userMetadata = "user_metadata"
      case appMetadata = "app_metadata"
      case banDuration = "ban_duration"
    }

    /// A hundred years and some.
    private static let longestBan = 3.2e9

    /// Fails for texts that the database cannot store.
    func check() throws(AuthError) {
      for (name, text) in [("aud", audience), ("role", role)] {
        guard (text ?? "").unicodeScalars.count <= 255 else {
          throw .invalid("\(name) cannot be longer than 255 characters")
        }
      }
    }

    /// For how many seconds the user is to be banned; 0 for no longer, nil where nothing is said.
    func banSeconds() throws(AuthError) -> Int? {
      guard let banDuration, !banDuration.isEmpty else { return nil }
      if banDuration == "none" { return 0 }
      guard let seconds = GoDuration.seconds(banDuration), abs(seconds) <= Self.longestBan else {
        throw .invalid("invalid format for ban duration: \(banDuration)")
      }
      return Int(seconds)
    }
  }

  /// `GET /admin/users`
  func listUsers(_ call: AuthCall) async throws -> ServerResponse {
    let (page, size) = try pagination(call)
    let rows = try await database.rows(UserStatements.page(page, size: size, filter: call.parameter("filter")))
    let users: [JSONValue] = try rows.map { try $0.decode(0) }
    var total = rows.first?.text(1).flatMap { Int($0) }
    // A page behind the last says nothing of how many there are.
    if total == nil { total = try await database.row(UserStatements.count)?.text(0).flatMap { Int($0) } }
    var response = ServerResponse.json(["users": .array(users), "aud": .string(configuration.audience)])
    addPages(&response, page: page, size: size, total: total ?? 0, path: "/admin/users")
    return response
  }

  /// `GET /admin/users/{user_id}`
  func userByID(_ call: AuthCall) async throws -> ServerResponse {
    .json(try await account(call).profile)
  }

  /// The user whom the path names.
  func account(_ call: AuthCall) async throws -> Account {
    guard let row = try await database.row(UserStatements.byID(try call.identifier("user_id"))) else {
      throw AuthError.userNotFound
    }
    return try row.decode(0)
  }

  /// `POST /admin/users`
  func createUser(_ call: AuthCall) async throws -> ServerResponse {
    let wanted = try call.decode(UserRequest.self)
    try wanted.check()
    let email = try wanted.email.flatMap { try $0.isEmpty ? nil : Address.email($0) }
    let phone = try wanted.phone.flatMap { try $0.isEmpty ? nil : Address.phone($0) }
    guard email != nil || phone != nil else {
      throw AuthError.invalid("Cannot create a user without either an email or phone")
    }
    let (password, hash) = try credentials(wanted)
    if let email, try await database.row(UserStatements.byEmail(email)) != nil { throw AuthError.emailExists }
    if let phone, try await database.row(UserStatements.byPhone(phone)) != nil { throw AuthError.phoneExists }
    let providers = (email == nil ? [] : ["email"]) + (phone == nil ? [] : ["phone"])
    var user = UserStatements.New(
      audience: wanted.audience ?? configuration.audience, role: wanted.role ?? configuration.role, email: email,
      phone: phone, password: password, passwordHash: hash, appMetadata: [:])
    if let id = wanted.id, !id.isEmpty {
      guard Self.isUUID(id) else { throw AuthError.invalid("ID must conform to the uuid v4 format") }
      user.id = id.lowercased()
    }
    user.isEmailConfirmed = email != nil && wanted.confirmsEmail == true
    user.isPhoneConfirmed = phone != nil && wanted.confirmsPhone == true
    var metadata: [String: JSONValue] = [
      "provider": .string(providers[0]), "providers": .array(providers.map(JSONValue.string)),
    ]
    metadata.merge(wanted.appMetadata ?? [:]) { _, given in given }
    user.appMetadata = .object(metadata)
    user.userMetadata = .object(wanted.userMetadata ?? [:])
    if let seconds = try wanted.banSeconds(), seconds > 0 { user.banSeconds = seconds }
    if let email {
      user.identities.append([
        "provider": "email", "provider_id": .string(user.id),
        "data": [
          "sub": .string(user.id), "email": .string(email), "email_verified": .bool(user.isEmailConfirmed),
          "phone_verified": false,
        ],
      ])
    }
    if let phone {
      user.identities.append([
        "provider": "phone", "provider_id": .string(user.id),
        "data": [
          "sub": .string(user.id), "phone": .string(phone), "email_verified": false,
          "phone_verified": .bool(user.isPhoneConfirmed),
        ],
      ])
    }
    let account = try await insert(user, adminAudit(.userSignedUp, call, id: user.id, email: email, phone: phone))
    return .json(account.profile)
  }

  private func credentials(_ wanted: UserRequest) throws(AuthError) -> (password: String?, hash: String?) {
    let password = wanted.password.flatMap { $0.isEmpty ? nil : $0 }
    let hash = wanted.passwordHash.flatMap { $0.isEmpty ? nil : $0 }
    guard password == nil || hash == nil else {
      throw .invalid("Only a password or a password hash should be provided")
    }
    if let password { try check(password: password) }
    if let hash, !Self.isUsableHash(hash) {
      throw .invalid("The password hash must be one of bcrypt, with a cost of 4 to 15")
    }
    return (password, hash)
  }

  /// Whether a text is a hash of bcrypt: `$2b$10$` and 53 characters. Each step of the cost doubles the time that a
  /// sign-in takes, right or wrong; 15 are some seconds.
  static func isUsableHash(_ text: String) -> Bool {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), parts[2].utf8.count == 2,
      parts[2].allSatisfy(\.isNumber), let cost = Int(parts[2]), (4...15).contains(cost), parts[3].utf8.count == 53
    else { return false }
    return parts[3].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "/") }
  }

  /// `PUT /admin/users/{user_id}`
  func updateUserByID(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await account(call)
    let wanted = try call.decode(UserRequest.self)
    try wanted.check()
    let email = try wanted.email.flatMap { try $0.isEmpty ? nil : Address.email($0) }
    let phone = try wanted.phone.flatMap { try $0.isEmpty ? nil : Address.phone($0) }
    let (password, hash) = try credentials(wanted)
    if let email, let other: Account = try await database.row(UserStatements.byEmail(email))?.decode(0),
      other.id != account.id
    {
      throw AuthError.emailExists
    }
    if let phone, let other: Account = try await database.row(UserStatements.byPhone(phone))?.decode(0),
      other.id != account.id
    {
      throw AuthError.phoneExists
    }
    let change = UserStatements.Change(
      password: password, passwordHash: hash, email: email, phone: phone, role: wanted.role,
      appMetadata: wanted.appMetadata.map(JSONValue.object), userMetadata: wanted.userMetadata.map(JSONValue.object),
      confirmsEmail: wanted.confirmsEmail == true, confirmsPhone: wanted.confirmsPhone == true,
      banSeconds: try wanted.banSeconds())
    var statements = [
      UserStatements.update(
        account.id, change, cost: configuration.passwordCost, crypto: try await database.crypto(),
        audit: adminAudit(.userModified, call, id: account.id, email: account.email, phone: account.phone))
    ]
    statements += identities(
      account.id, email: email, phone: phone, areVerified: wanted.confirmsEmail == true || wanted.confirmsPhone == true)
    if password != nil || hash != nil { statements.append(SessionStatements.endAll(user: account.id)) }
    statements.append(UserStatements.byID(account.id))
    guard let row = try await database.row(statements) else { throw AuthError.userNotFound }
    return .json(try row.decode(0, as: Account.self).profile)
  }

  private struct Deletion: Decodable {
    var isSoft: Bool?
    enum CodingKeys: String, CodingKey { case isSoft = "should_soft_delete" }
  }

  /// `DELETE /admin/users/{user_id}`
  func deleteUser(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await account(call)
    let isSoft = try call.decode(Deletion.self).isSoft == true
    let entry = adminAudit(.userDeleted, call, id: account.id, email: account.email, phone: account.phone)
    if isSoft {
      // Hashing what is hashed already would lead nowhere.
      guard !account.isDeleted else { return .json([:]) }
      try await database.row(
        UserStatements.softDelete(account.id, crypto: try await database.crypto(), audit: entry))
    } else {
      try await database.row(UserStatements.delete(account.id, audit: entry))
    }
    return .json([:])
  }

  /// `GET /admin/audit`
  func auditLog(_ call: AuthCall) async throws -> ServerResponse {
    let (page, size) = try pagination(call)
    var members: [String] = []
    var text: String?
    if let query = call.parameter("query") {
      let parts = query.split(separator: ":", maxSplits: 1).map(String.init)
      let known = ["author": ["actor_username", "actor_name"], "action": ["action"], "type": ["log_type"]]
      guard parts.count == 2, let names = known[parts[0]] else {
        throw AuthError.invalid("Invalid query scope: \(query)")
      }
      (members, text) = (names, parts[1])
    }
    let rows = try await database.rows(AuditStatements.page(page, size: size, members: members, text: text))
    var response = ServerResponse.json(.array(try rows.map { try $0.decode(0) }))
    addPages(
      &response, page: page, size: size, total: rows.first?.text(1).flatMap { Int($0) } ?? 0, path: "/admin/audit")
    return response
  }

  private func pagination(_ call: AuthCall) throws(AuthError) -> (page: Int, size: Int) {
    func number(_ name: String, _ usual: Int) throws(AuthError) -> Int {
      guard let text = call.parameter(name) else { return usual }
      guard let number = Int(text), number >= 0, number <= 1_000_000 else {
        throw .invalid("Bad Pagination Parameters: \(name) must be a number")
      }
      return number == 0 ? usual : number
    }
    return (try number("page", 1), try number("per_page", 50))
  }

  /// Says where the other pages are (RFC 8288).
  private func addPages(_ response: inout ServerResponse, page: Int, size: Int, total: Int, path: String) {
    let last = max(1, (total + size - 1) / size)
    func link(_ page: Int, _ relation: String) -> String {
      "<\(externalURL)\(path)?page=\(page)&per_page=\(size)>; rel=\"\(relation)\""
    }
    var links: [String] = []
    if page < last { links.append(link(page + 1, "next")) }
    links.append(link(last, "last"))
    response.head.headerFields[.link] = links.joined(separator: ", ")
    response.head.headerFields[.totalCount] = String(total)
  }
}

extension HTTPField.Name {
  fileprivate static let link = Self(unchecked: "Link")
  fileprivate static let totalCount = Self(unchecked: "X-Total-Count")
}
