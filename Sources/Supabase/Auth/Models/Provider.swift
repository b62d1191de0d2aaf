/// Who a user signs in with; open to providers that are not listed here, such as the project's own.
public struct Provider: RawRepresentable, Codable, Sendable, Hashable,
  CaseIterable, Identifiable, ExpressibleByStringLiteral
{
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Apple.
  public static let apple: Provider = "apple"
  /// Microsoft Entra ID.
  public static let azure: Provider = "azure"
  /// Bitbucket.
  public static let bitbucket: Provider = "bitbucket"
  /// Discord.
  public static let discord: Provider = "discord"
  /// No provider: an address with a password or codes.
  public static let email: Provider = "email"
  /// Facebook.
  public static let facebook: Provider = "facebook"
  /// Figma.
  public static let figma: Provider = "figma"
  /// Fly.io.
  public static let fly: Provider = "fly"
  /// GitHub.
  public static let github: Provider = "github"
  /// GitLab.
  public static let gitlab: Provider = "gitlab"
  /// Google.
  public static let google: Provider = "google"
  /// Kakao.
  public static let kakao: Provider = "kakao"
  /// Keycloak.
  public static let keycloak: Provider = "keycloak"
  /// LinkedIn, as it was before OpenID Connect.
  public static let linkedin: Provider = "linkedin"
  /// LinkedIn.
  public static let linkedinOIDC: Provider = "linkedin_oidc"
  /// Notion.
  public static let notion: Provider = "notion"
  /// Slack, as it was before OpenID Connect.
  public static let slack: Provider = "slack"
  /// Slack.
  public static let slackOIDC: Provider = "slack_oidc"
  /// Spotify.
  public static let spotify: Provider = "spotify"
  /// Twitch.
  public static let twitch: Provider = "twitch"
  /// X by OAuth 1.0a, as it was when it was called Twitter.
  public static let twitter: Provider = "twitter"
  /// X by OAuth 2.0.
  public static let x: Provider = "x"
  /// WorkOS.
  public static let workos: Provider = "workos"
  /// Zoom.
  public static let zoom: Provider = "zoom"

  /// The providers that are known.
  public static let allCases: [Provider] = [
    .apple, .azure, .bitbucket, .discord, .email, .facebook, .figma, .fly, .github, .gitlab, .google, .kakao,
    .keycloak, .linkedin, .linkedinOIDC, .notion, .slack, .slackOIDC, .spotify, .twitch, .twitter, .x, .workos,
    .zoom,
  ]

  /// The provider itself.
  public var id: String { rawValue }
}
