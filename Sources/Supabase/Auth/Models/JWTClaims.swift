public import FoundationEssentials
public import Helpers

/// What a token of the auth server claims. Times are seconds since 1970.
public struct JWTClaims: Codable, Hashable, Sendable {
  /// Who has issued it.
  public let iss: String?
  /// The user's identifier.
  public let sub: String?
  /// Whom it is for.
  public let aud: AudienceClaim?
  /// When it expires.
  public let exp: TimeInterval?
  /// When it was issued.
  public let iat: TimeInterval?
  /// When it begins to be good.
  public let nbf: TimeInterval?
  /// The token's identifier.
  public let jti: String?
  /// The role in the database.
  public let role: String?
  /// How well the session is assured.
  public let aal: String?
  /// The session's identifier.
  public let sessionId: String?
  /// The address.
  public let email: String?
  /// The number.
  public let phone: String?
  /// Whether the user is anonymous.
  public let isAnonymous: Bool?
  /// What the project's servers know of the user.
  public let appMetadata: [String: JSONValue]?
  /// What the user may change.
  public let userMetadata: [String: JSONValue]?
  /// The other claims, such as those that a hook of the project has added.
  public var additionalClaims: [String: JSONValue]

  enum CodingKeys: String, CodingKey, CaseIterable {
    case iss, sub, aud, exp, iat, nbf, jti, role, aal, email, phone
    case sessionId = "session_id"
    case isAnonymous = "is_anonymous"
    case appMetadata = "app_metadata"
    case userMetadata = "user_metadata"
  }

  /// Reads claims; all that have no member of their own are additional.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    iss = try container.decodeIfPresent(String.self, forKey: .iss)
    sub = try container.decodeIfPresent(String.self, forKey: .sub)
    aud = try container.decodeIfPresent(AudienceClaim.self, forKey: .aud)
    exp = try container.decodeIfPresent(TimeInterval.self, forKey: .exp)
    iat = try container.decodeIfPresent(TimeInterval.self, forKey: .iat)
    nbf = try container.decodeIfPresent(TimeInterval.self, forKey: .nbf)
    jti = try container.decodeIfPresent(String.self, forKey: .jti)
    role = try container.decodeIfPresent(String.self, forKey: .role)
    aal = try container.decodeIfPresent(String.self, forKey: .aal)
    sessionId = try container.decodeIfPresent(String.self, forKey: .sessionId)
    email = try container.decodeIfPresent(String.self, forKey: .email)
    phone = try container.decodeIfPresent(String.self, forKey: .phone)
    isAnonymous = try container.decodeIfPresent(Bool.self, forKey: .isAnonymous)
    appMetadata = try container.decodeIfPresent([String: JSONValue].self, forKey: .appMetadata)
    userMetadata = try container.decodeIfPresent([String: JSONValue].self, forKey: .userMetadata)
    let known = Set(CodingKeys.allCases.map(\.rawValue))
    additionalClaims = try (JSONValue(from: decoder).objectValue ?? [:]).filter { !known.contains($0.key) }
  }

  /// Writes the claims side by side.
  public func encode(to encoder: any Encoder) throws {
    // First, so that a member of its own wins.
    try additionalClaims.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(iss, forKey: .iss)
    try container.encodeIfPresent(sub, forKey: .sub)
    try container.encodeIfPresent(aud, forKey: .aud)
    try container.encodeIfPresent(exp, forKey: .exp)
    try container.encodeIfPresent(iat, forKey: .iat)
    try container.encodeIfPresent(nbf, forKey: .nbf)
    try container.encodeIfPresent(jti, forKey: .jti)
    try container.encodeIfPresent(role, forKey: .role)
    try container.encodeIfPresent(aal, forKey: .aal)
    try container.encodeIfPresent(sessionId, forKey: .sessionId)
    try container.encodeIfPresent(email, forKey: .email)
    try container.encodeIfPresent(phone, forKey: .phone)
    try container.encodeIfPresent(isAnonymous, forKey: .isAnonymous)
    try container.encodeIfPresent(appMetadata, forKey: .appMetadata)
    try container.encodeIfPresent(userMetadata, forKey: .userMetadata)
  }
}
