/// A second factor that has been enrolled and is to be proven.
///
/// Descriptions and mirrors leave the secret of an authenticator app out.
public struct AuthMFAEnrollResponse: Decodable, Hashable, Sendable {
  /// The factor's identifier.
  public let id: String
  /// The kind of factor.
  public let type: FactorType
  /// What an authenticator app needs; nil for other factors.
  public var totp: TOTP?
  /// What the user calls the factor.
  public var friendlyName: String?
  /// The phone's number; nil for other factors.
  public var phone: String?

  /// Describes a factor.
  public init(id: String, type: FactorType, totp: TOTP? = nil, friendlyName: String? = nil, phone: String? = nil) {
    self.id = id
    self.type = type
    self.totp = totp
    self.friendlyName = friendlyName
    self.phone = phone
  }

  enum CodingKeys: String, CodingKey {
    case id, type, totp, phone
    case friendlyName = "friendly_name"
  }

  /// What an authenticator app needs. Show it to the user, and to nobody else.
  public struct TOTP: Decodable, Hashable, Sendable, CustomReflectable, CustomStringConvertible {
    /// A picture with the URI, as SVG.
    public var qrCode: String
    /// The secret, to be typed.
    public let secret: String
    /// The address that the picture shows: `otpauth://…`.
    public let uri: String

    /// Describes what an app needs.
    public init(qrCode: String, secret: String, uri: String) {
      self.qrCode = qrCode
      self.secret = secret
      self.uri = uri
    }

    enum CodingKeys: String, CodingKey {
      case secret, uri
      case qrCode = "qr_code"
    }

    /// No secret.
    public var description: String { "TOTP" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
}
