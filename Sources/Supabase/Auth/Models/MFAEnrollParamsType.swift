/// What describes a new second factor.
public protocol MFAEnrollParamsType: Encodable, Hashable, Sendable {
  /// The kind of factor.
  var factorType: FactorType { get }
}
