public import FoundationEssentials

/// Where a single sign-on goes on.
public struct SSOResponse: Codable, Hashable, Sendable {
  /// The address to open in a browser.
  public let url: URL

  /// Takes the address.
  public init(url: URL) {
    self.url = url
  }
}
