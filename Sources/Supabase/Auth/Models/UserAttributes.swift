public import Helpers

/// What a user changes of themselves; what is nil stays.
public struct UserAttributes: Codable, Hashable, Sendable {
  /// The new address. It has to be confirmed.
  public var email: String?
  /// The new number. It has to be confirmed.
  public var phone: String?
  /// The new password.
  public var password: String?
  /// The code of `reauthenticate()`, where the project asks for one before passwords change.
  public var nonce: String?
  /// A code for a new address, as old servers had it.
  public var emailChangeToken: String?
  /// Members of `userMetadata`; others stay.
  public var data: [String: JSONValue]?

  /// Describes a change.
  public init(
    email: String? = nil, phone: String? = nil, password: String? = nil, nonce: String? = nil,
    emailChangeToken: String? = nil, data: [String: JSONValue]? = nil
  ) {
    self.email = email
    self.phone = phone
    self.password = password
    self.nonce = nonce
    self.emailChangeToken = emailChangeToken
    self.data = data
  }

  enum CodingKeys: String, CodingKey {
    case email, phone, password, nonce, data
    case emailChangeToken = "email_change_token"
  }
}
