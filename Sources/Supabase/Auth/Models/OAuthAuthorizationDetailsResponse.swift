/// What is known of an app's request for access.
public enum OAuthAuthorizationDetailsResponse: Decodable, Hashable, Sendable {
  /// The user has to decide.
  case details(OAuthAuthorizationDetails)
  /// The user has granted the same before: go on at once.
  case redirect(OAuthRedirect)

  /// Reads an address if there is one, the details otherwise.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: OAuthRedirect.CodingKeys.self)
    self =
      container.contains(.redirectURL)
      ? .redirect(try OAuthRedirect(from: decoder)) : .details(try OAuthAuthorizationDetails(from: decoder))
  }
}
