/// A mail or a text message to a user.
public struct AuthMessage: Sendable, Hashable, Codable, Identifiable {
  /// How it goes to the user.
  public struct Channel: RawRepresentable, Sendable, Hashable, Codable {
    /// The channel's name.
    public let rawValue: String
    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// By mail.
    public static let email = Channel(rawValue: "email")
    /// To a phone.
    public static let sms = Channel(rawValue: "sms")
  }

  /// What it is for, in the words of `/verify`.
  public struct Kind: RawRepresentable, Sendable, Hashable, Codable {
    /// The kind's name.
    public let rawValue: String
    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Confirms an address after the sign-up.
    public static let signUp = Kind(rawValue: "signup")
    /// Invites somebody.
    public static let invite = Kind(rawValue: "invite")
    /// Signs in.
    public static let magicLink = Kind(rawValue: "magiclink")
    /// Signs in who has forgotten the password.
    public static let recovery = Kind(rawValue: "recovery")
    /// Confirms a new address, to either address.
    public static let emailChange = Kind(rawValue: "email_change")
    /// Confirms that it is the user who changes the password.
    public static let reauthentication = Kind(rawValue: "reauthentication")
    /// Signs in by phone.
    public static let sms = Kind(rawValue: "sms")
    /// Confirms a new phone number.
    public static let phoneChange = Kind(rawValue: "phone_change")
    /// The code of a second factor.
    public static let mfa = Kind(rawValue: "mfa")
  }

  /// Names the message.
  public var id: String
  /// When it was sent: RFC 3339, UTC.
  public var date: String
  /// How it goes.
  public var channel: Channel
  /// The address or phone number.
  public var recipient: String
  /// What it is for.
  public var kind: Kind
  /// The mail's subject; empty for text messages.
  public var subject: String
  /// What it says.
  public var text: String
  /// The code to enter. A secret.
  public var token: String
  /// What `/verify` takes in place of recipient and code. A secret.
  public var tokenHash: String?
  /// The link to follow. A secret.
  public var link: String?

  enum CodingKeys: String, CodingKey {
    case id, date, channel, recipient, kind, subject, text, token, link
    case tokenHash = "token_hash"
  }
}
