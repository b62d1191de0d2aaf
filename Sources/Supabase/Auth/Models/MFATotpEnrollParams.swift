/// How to enroll an authenticator app.
public struct MFATotpEnrollParams: MFAEnrollParamsType {
  /// The kind of factor: `totp`.
  public let factorType = FactorType.totp
  /// What the app shows the account under.
  public let issuer: String?
  /// What the user calls the factor.
  public let friendlyName: String?

  /// Describes the factor.
  public init(issuer: String? = nil, friendlyName: String? = nil) {
    self.issuer = issuer
    self.friendlyName = friendlyName
  }

  private enum CodingKeys: String, CodingKey {
    case issuer
    case factorType = "factor_type"
    case friendlyName = "friendly_name"
  }
}

extension MFAEnrollParamsType where Self == MFATotpEnrollParams {
  /// An authenticator app.
  public static func totp(issuer: String? = nil, friendlyName: String? = nil) -> Self {
    MFATotpEnrollParams(issuer: issuer, friendlyName: friendlyName)
  }
}
