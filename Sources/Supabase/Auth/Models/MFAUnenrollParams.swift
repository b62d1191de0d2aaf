/// Which second factor is to be removed.
public struct MFAUnenrollParams: Hashable, Sendable {
  /// The factor's identifier.
  public let factorId: String

  /// Names a factor.
  public init(factorId: String) { self.factorId = factorId }
}
