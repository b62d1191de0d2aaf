/// How to enroll a passkey or security key as a second factor.
public struct MFAWebAuthnEnrollParams: MFAEnrollParamsType {
  /// The kind of factor: `webauthn`.
  public let factorType = FactorType.webauthn
  /// What the user calls the factor.
  public let friendlyName: String?

  /// Describes the factor.
  public init(friendlyName: String? = nil) { self.friendlyName = friendlyName }

  private enum CodingKeys: String, CodingKey {
    case factorType = "factor_type"
    case friendlyName = "friendly_name"
  }
}

extension MFAEnrollParamsType where Self == MFAWebAuthnEnrollParams {
  /// A passkey or security key.
  public static func webAuthn(friendlyName: String? = nil) -> Self {
    MFAWebAuthnEnrollParams(friendlyName: friendlyName)
  }
}
