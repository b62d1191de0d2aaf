extension AuthService {
  /// How the service treats its users. The names in parentheses are those of GoTrue's settings.
  public struct Configuration: Sendable {
    /// Where the application lives: mails lead there when a request names no other place (`SITE_URL`).
    public var siteURL = "http://127.0.0.1:3000"
    /// Further places that mails and providers may lead to: addresses in which `*` stands for any characters but dots and
    /// slashes and `**` for any (`URI_ALLOW_LIST`). Pages of the loopback interface always may.
    public var redirectURLs: [String] = []
    /// How the service is reached from outside, such as `https://api.example.com/auth/v1`: links in mails and the claim
    /// `iss` begin with it (`API_EXTERNAL_URL`). Nil for the address that the backend listens on.
    public var externalURL: String?

    /// Whether new users may register by themselves (`DISABLE_SIGNUP`).
    public var allowsSignUp = true
    /// Whether there are users without address and password (`EXTERNAL_ANONYMOUS_USERS_ENABLED`; off in GoTrue).
    public var allowsAnonymousUsers = true
    /// Whether users may sign in by an email address (`EXTERNAL_EMAIL_ENABLED`).
    public var allowsEmail = true
    /// Whether users may sign in by a phone number (`EXTERNAL_PHONE_ENABLED`; off in GoTrue).
    public var allowsPhone = true
    /// Whether users may link and unlink identities (`SECURITY_MANUAL_LINKING_ENABLED`; off in GoTrue).
    public var allowsManualLinking = true
    /// Whether an email address counts as confirmed at once (`MAILER_AUTOCONFIRM`).
    public var confirmsEmailAtOnce = false
    /// Whether a phone number counts as confirmed at once (`SMS_AUTOCONFIRM`).
    public var confirmsPhoneAtOnce = false
    /// Whether a change of the address wants consent from both addresses (`MAILER_SECURE_EMAIL_CHANGE_ENABLED`).
    public var needsBothAddressesForChange = true
    /// Whether a change of the password wants a fresh sign-in, or a code from `/reauthenticate`
    /// (`SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION`).
    public var needsReauthenticationForPassword = false

    /// What passwords must be like (`PASSWORD_MIN_LENGTH`, `PASSWORD_REQUIRED_CHARACTERS`).
    public var passwords = PasswordRules()
    /// The cost of bcrypt: 2 to this power of rounds, 4 to 31.
    public var passwordCost = 10

    /// How long an access token is good (`JWT_EXP`).
    public var accessTokenLifetime = Duration.seconds(3600)
    /// The audience of tokens and users (`JWT_AUD`).
    public var audience = "authenticated"
    /// The role of signed-in users (`JWT_DEFAULT_GROUP_NAME`).
    public var role = "authenticated"
    /// How long a refresh token that was used already leads to the one that replaced it
    /// (`SECURITY_REFRESH_TOKEN_REUSE_INTERVAL`).
    public var refreshTokenReuseInterval = Duration.seconds(10)
    /// How long a session may last at most (`SESSIONS_TIMEBOX`); nil for no end.
    public var sessionLifetime: Duration?

    /// How many digits a code has (`MAILER_OTP_LENGTH`).
    public var codeLength = 6
    /// How long a code or link in a mail is good (`MAILER_OTP_EXP`; a day in GoTrue, an hour in Supabase projects).
    public var mailCodeLifetime = Duration.seconds(3600)
    /// How long a code in a text message is good (`SMS_OTP_EXP`).
    public var phoneCodeLifetime = Duration.seconds(60)
    /// How long the code of a PKCE flow is good (`EXTERNAL_FLOW_STATE_EXPIRY_DURATION`).
    public var flowLifetime = Duration.seconds(300)
    /// How long a challenge of a second factor is open (`MFA_CHALLENGE_EXPIRY_DURATION`).
    public var challengeLifetime = Duration.seconds(300)
    /// How many factors a user may have (`MFA_MAX_ENROLLED_FACTORS`).
    public var maximumFactors = 10

    /// How much one address, and everybody together, may ask for.
    public var rateLimits = RateLimits()
    /// The OpenID providers that users may sign in with, by the name that requests give.
    public var providers: [String: OpenIDProvider] = [:]

    /// GoTrue's defaults, but for the ways to sign in, all of which are open.
    public init() {}
  }
}
