/// What the auth server says of itself.
public struct AuthHealth: Decodable, Hashable, Sendable {
  /// Its version.
  public let version: String
  /// Its name.
  public let name: String
  /// What it is.
  public let description: String
}
