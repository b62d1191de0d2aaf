internal import SwiftwaterHTTP

/// The claims that say when and for whom a token is valid.
struct TokenValidity: Sendable {
  private var expiry: JSONValue?
  private var start: JSONValue?
  private var issue: JSONValue?
  private var audience: JSONValue?

  private static let names: [StaticString] = ["exp", "nbf", "iat", "aud"]

  /// Reads a token's claims.
  ///
  /// - Throws: `DecodingError` when they are no JSON object.
  init(_ claims: [UInt8]) throws {
    try JSONValue.members(Self.names, of: claims) { place, value in
      switch place {
      case 0: expiry = value
      case 1: start = value
      case 2: issue = value
      default: audience = value
      }
    }
  }

  /// In PostgREST's order, which decides what a token with several faults is told.
  func check(_ now: Double, _ settings: JWTSettings) throws(JSONWebToken.Refusal) {
    let (now, leeway) = (now.rounded(.down), settings.leeway)
    if let expiry = try Self.time("exp", expiry), now - leeway > expiry { throw .expired }
    if let start = try Self.time("nbf", start), now + leeway < start { throw .notYetValid }
    if let issue = try Self.time("iat", issue), now + leeway < issue { throw .issuedInFuture }
    guard let audience, !audience.isNull else { return }
    let names: [String]
    if let name = audience.stringValue {
      names = [name]
    } else if let list = audience.arrayValue, case let texts = list.compactMap(\.stringValue), texts.count == list.count
    {
      names = texts
    } else {
      throw .malformedAudience
    }
    if let wanted = settings.audience, !names.isEmpty, !names.contains(wanted) { throw .wrongAudience }
  }

  private static func time(_ name: String, _ claim: JSONValue?) throws(JSONWebToken.Refusal) -> Double? {
    guard let claim, !claim.isNull else { return nil }
    guard let seconds = claim.doubleValue else { throw .claimIsNoNumber(name) }
    return seconds
  }
}
