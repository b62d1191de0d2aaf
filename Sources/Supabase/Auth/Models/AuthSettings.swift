/// What the auth server allows.
public struct AuthSettings: Decodable, Hashable, Sendable {
  /// Which providers can be signed in with, by name.
  public let external: [String: Bool]
  /// Whether nobody can sign up.
  public let disableSignup: Bool
  /// Whether addresses count as confirmed at once.
  public let mailerAutoconfirm: Bool
  /// Whether numbers count as confirmed at once.
  public let phoneAutoconfirm: Bool
  /// Who delivers messages.
  public let smsProvider: String?
  /// Whether there is single sign-on by SAML.
  public let samlEnabled: Bool

  private enum CodingKeys: String, CodingKey {
    case external
    case disableSignup = "disable_signup"
    case mailerAutoconfirm = "mailer_autoconfirm"
    case phoneAutoconfirm = "phone_autoconfirm"
    case smsProvider = "sms_provider"
    case samlEnabled = "saml_enabled"
  }

  /// Reads the settings; those that a server does not have are off.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func isOn(_ key: CodingKeys) throws -> Bool { try container.decodeIfPresent(Bool.self, forKey: key) ?? false }
    external = try container.decodeIfPresent([String: Bool].self, forKey: .external) ?? [:]
    disableSignup = try isOn(.disableSignup)
    mailerAutoconfirm = try isOn(.mailerAutoconfirm)
    phoneAutoconfirm = try isOn(.phoneAutoconfirm)
    smsProvider = try container.decodeIfPresent(String.self, forKey: .smsProvider)
    samlEnabled = try isOn(.samlEnabled)
  }
}
