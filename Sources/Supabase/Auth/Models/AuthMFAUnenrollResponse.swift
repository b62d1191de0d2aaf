/// A second factor that has been removed.
public struct AuthMFAUnenrollResponse: Decodable, Hashable, Sendable {
  /// The factor's identifier.
  public let id: String

  /// The same identifier, by its older name.
  public var factorId: String { id }

  /// Names a factor.
  public init(id: String) { self.id = id }
}
