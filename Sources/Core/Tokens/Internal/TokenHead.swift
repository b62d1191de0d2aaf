internal import SwiftwaterHTTP

/// What a token's head says of its signature (RFC 7515 §4.1).
struct TokenHead {
  private(set) var algorithm: String?
  private(set) var keyIdentifier: String?
  /// Whether it names extensions that whoever does not know them must refuse.
  private(set) var hasCriticalExtensions = false

  private static let names: [StaticString] = ["alg", "kid", "crit"]

  /// - Throws: `DecodingError` when it is no JSON object.
  init(_ bytes: [UInt8]) throws {
    try JSONValue.members(Self.names, of: bytes) { place, value in
      switch place {
      case 0: algorithm = value.stringValue
      case 1: keyIdentifier = value.stringValue
      default: hasCriticalExtensions = true
      }
    }
  }
}
