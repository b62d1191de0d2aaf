/// A generated link, and whom it is for.
public struct GenerateLinkResponse: Decodable, Hashable, Sendable {
  /// The link and what it is made of.
  public let properties: GenerateLinkProperties
  /// The user.
  public let user: User

  /// Reads both from one object, in which their members stand side by side.
  public init(from decoder: any Decoder) throws {
    properties = try GenerateLinkProperties(from: decoder)
    user = try User(from: decoder)
  }
}
