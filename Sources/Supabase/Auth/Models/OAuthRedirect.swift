public import FoundationEssentials

/// Where an authorization goes on.
public struct OAuthRedirect: Codable, Hashable, Sendable {
  /// The address to send the user to.
  public let redirectURL: URL

  /// Takes the address.
  public init(redirectURL: URL) {
    self.redirectURL = redirectURL
  }

  enum CodingKeys: String, CodingKey {
    case redirectURL = "redirect_url"
  }
}
