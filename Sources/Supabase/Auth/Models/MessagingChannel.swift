/// How codes reach a phone; open to channels that are not listed here.
public struct MessagingChannel: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// By SMS.
  public static let sms: MessagingChannel = "sms"
  /// By WhatsApp, where the project has set that up.
  public static let whatsapp: MessagingChannel = "whatsapp"
}
