/// The site that a passkey is for.
public struct WebAuthnChallengeOptions: Encodable, Hashable, Sendable {
  /// The domain.
  public let relyingPartyIdentifier: String?
  /// The origins that may ask.
  public let relyingPartyOrigins: [String]?

  /// Names the site.
  public init(relyingPartyIdentifier: String? = nil, relyingPartyOrigins: [String]? = nil) {
    self.relyingPartyIdentifier = relyingPartyIdentifier
    self.relyingPartyOrigins = relyingPartyOrigins
  }

  enum CodingKeys: String, CodingKey {
    case relyingPartyIdentifier = "rp_id"
    case relyingPartyOrigins = "rp_origins"
  }
}
