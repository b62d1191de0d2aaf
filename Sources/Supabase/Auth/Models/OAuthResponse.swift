public import FoundationEssentials

/// Where linking an account at a provider goes on.
public struct OAuthResponse: Codable, Hashable, Sendable {
  /// The provider.
  public let provider: Provider
  /// The address to open in a browser.
  public let url: URL

  /// Takes the address.
  public init(provider: Provider, url: URL) {
    self.provider = provider
    self.url = url
  }
}
