/// A second factor and the code that proves it, without a challenge made before.
public struct MFAChallengeAndVerifyParams: Hashable, Sendable {
  /// The factor's identifier.
  public let factorId: String
  /// The code that the user has typed.
  public let code: String

  /// Names a factor and its code.
  public init(factorId: String, code: String) {
    self.factorId = factorId
    self.code = code
  }
}
