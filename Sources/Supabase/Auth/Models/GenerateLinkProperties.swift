public import FoundationEssentials

/// A generated link and what it is made of.
public struct GenerateLinkProperties: Decodable, Hashable, Sendable {
  /// The link to send.
  public let actionLink: URL
  /// The code, for mails that show one.
  public let emailOTP: String
  /// The hash of the code, for links of one's own.
  public let hashedToken: String
  /// Where the link leads in the end.
  public let redirectTo: String
  /// What the link is for.
  public let verificationType: GenerateLinkType

  /// Describes a link.
  public init(
    actionLink: URL, emailOTP: String, hashedToken: String, redirectTo: String, verificationType: GenerateLinkType
  ) {
    self.actionLink = actionLink
    self.emailOTP = emailOTP
    self.hashedToken = hashedToken
    self.redirectTo = redirectTo
    self.verificationType = verificationType
  }

  enum CodingKeys: String, CodingKey {
    case actionLink = "action_link"
    case emailOTP = "email_otp"
    case hashedToken = "hashed_token"
    case redirectTo = "redirect_to"
    case verificationType = "verification_type"
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    actionLink = try container.decode(URL.self, forKey: .actionLink)
    emailOTP = try container.decode(String.self, forKey: .emailOTP)
    hashedToken = try container.decode(String.self, forKey: .hashedToken)
    redirectTo = try container.decodeIfPresent(String.self, forKey: .redirectTo) ?? ""
    verificationType = try container.decode(GenerateLinkType.self, forKey: .verificationType)
  }
}
