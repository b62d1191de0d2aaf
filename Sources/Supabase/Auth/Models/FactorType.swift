/// A kind of second factor; open to kinds that are not listed here.
public struct FactorType: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Codes of an authenticator app (RFC 6238).
  public static let totp: FactorType = "totp"
  /// Codes by SMS or WhatsApp.
  public static let phone: FactorType = "phone"
  /// A passkey or security key.
  public static let webauthn: FactorType = "webauthn"
  /// Codes that were written down.
  public static let recoveryCode: FactorType = "recovery_code"
}
