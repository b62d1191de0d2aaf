public import Helpers

/// What an administrator sets of a user; what is nil stays.
public struct AdminUserAttributes: Encodable, Hashable, Sendable {
  /// What the project's servers know of the user.
  public var appMetadata: [String: JSONValue]?
  /// For how long the user is banned, such as `24h`; `none` ends it.
  public var banDuration: String?
  /// The address.
  public var email: String?
  /// Whether the address counts as confirmed.
  public var emailConfirm: Bool?
  /// The identifier of a new user.
  public var id: String?
  /// The code of a reauthentication.
  public var nonce: String?
  /// The password.
  public var password: String?
  /// The password's hash, by bcrypt, scrypt or argon2.
  public var passwordHash: String?
  /// The number.
  public var phone: String?
  /// Whether the number counts as confirmed.
  public var phoneConfirm: Bool?
  /// The role in the database.
  public var role: String?
  /// What the user may change.
  public var userMetadata: [String: JSONValue]?

  /// Describes a user.
  public init(
    appMetadata: [String: JSONValue]? = nil, banDuration: String? = nil, email: String? = nil,
    emailConfirm: Bool? = nil, id: String? = nil, nonce: String? = nil, password: String? = nil,
    passwordHash: String? = nil, phone: String? = nil, phoneConfirm: Bool? = nil, role: String? = nil,
    userMetadata: [String: JSONValue]? = nil
  ) {
    self.appMetadata = appMetadata
    self.banDuration = banDuration
    self.email = email
    self.emailConfirm = emailConfirm
    self.id = id
    self.nonce = nonce
    self.password = password
    self.passwordHash = passwordHash
    self.phone = phone
    self.phoneConfirm = phoneConfirm
    self.role = role
    self.userMetadata = userMetadata
  }

  enum CodingKeys: String, CodingKey {
    case email, id, nonce, password, phone, role
    case appMetadata = "app_metadata"
    case banDuration = "ban_duration"
    case emailConfirm = "email_confirm"
    case passwordHash = "password_hash"
    case phoneConfirm = "phone_confirm"
    case userMetadata = "user_metadata"
  }
}
