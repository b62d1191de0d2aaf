internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// What anybody may know of the service.
extension AuthEndpoints {
  /// `GET /health`
  func health(_ call: AuthCall) async throws -> ServerResponse {
    .json([
      "version": "swiftwater", "name": "GoTrue",
      "description": "GoTrue is a user registration and authentication API",
    ])
  }

  /// `GET /.well-known/jwks.json`
  func publicKeys(_ call: AuthCall) async throws -> ServerResponse {
    var response = ServerResponse.json(tokens.publicKeySet)
    response.head.headerFields[.cacheControl] = "public, max-age=600"
    return response
  }

  /// `GET /settings`
  func settings(_ call: AuthCall) async throws -> ServerResponse {
    var external: [String: JSONValue] = [
      "anonymous_users": .bool(configuration.allowsAnonymousUsers), "email": .bool(configuration.allowsEmail),
      "phone": .bool(configuration.allowsPhone),
    ]
    for name in Self.knownProviders { external[name] = false }
    for name in configuration.providers.keys { external[name] = true }
    return .json([
      "external": .object(external), "disable_signup": .bool(!configuration.allowsSignUp),
      "mailer_autoconfirm": .bool(configuration.confirmsEmailAtOnce),
      "phone_autoconfirm": .bool(configuration.confirmsPhoneAtOnce), "sms_provider": "",
      "saml_enabled": false,
    ])
  }

  /// Those that GoTrue lists whether they are configured or not.
  private static let knownProviders = [
    "apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab", "google", "kakao",
    "keycloak", "linkedin", "linkedin_oidc", "notion", "slack", "slack_oidc", "spotify", "twitch", "twitter", "workos",
    "zoom",
  ]
}
