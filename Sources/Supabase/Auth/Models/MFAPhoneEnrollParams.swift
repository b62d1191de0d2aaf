/// How to enroll a phone.
public struct MFAPhoneEnrollParams: MFAEnrollParamsType {
  /// The kind of factor: `phone`.
  public let factorType = FactorType.phone
  /// What the user calls the factor.
  public let friendlyName: String?
  /// The number, as in E.164.
  public let phone: String

  /// Describes the factor.
  public init(friendlyName: String? = nil, phone: String) {
    self.friendlyName = friendlyName
    self.phone = phone
  }

  private enum CodingKeys: String, CodingKey {
    case phone
    case factorType = "factor_type"
    case friendlyName = "friendly_name"
  }
}

extension MFAEnrollParamsType where Self == MFAPhoneEnrollParams {
  /// A phone.
  public static func phone(friendlyName: String? = nil, phone: String) -> Self {
    MFAPhoneEnrollParams(friendlyName: friendlyName, phone: phone)
  }
}
