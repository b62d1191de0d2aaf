/// How well the session is assured.
public struct AuthMFAGetAuthenticatorAssuranceLevelResponse: Decodable, Hashable, Sendable {
  /// The level; nil without a session.
  public let currentLevel: AuthenticatorAssuranceLevels?
  /// The level that the user's proven factors allow.
  public let nextLevel: AuthenticatorAssuranceLevels?
  /// How the user has proven who they are.
  public let currentAuthenticationMethods: [AMREntry]

  /// Describes the level.
  public init(
    currentLevel: AuthenticatorAssuranceLevels? = nil, nextLevel: AuthenticatorAssuranceLevels? = nil,
    currentAuthenticationMethods: [AMREntry]
  ) {
    self.currentLevel = currentLevel
    self.nextLevel = nextLevel
    self.currentAuthenticationMethods = currentAuthenticationMethods
  }

  enum CodingKeys: String, CodingKey {
    case currentLevel = "current_level"
    case nextLevel = "next_level"
    case currentAuthenticationMethods = "current_authentication_methods"
  }
}
