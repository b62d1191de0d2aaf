/// How much may be asked for. Numbers are GoTrue's, by the names of its settings.
public struct RateLimits: Sendable {
  /// Whether the limits hold. Nil, the default, means: unless the backend is in development mode, where everything
  /// comes from one address.
  public var isEnabled: Bool?
  /// The field of requests that tells the client's address, where a proxy that sets it stands in front
  /// (`RATE_LIMIT_HEADER`), such as `X-Forwarded-For`; nil for the address of the connection.
  public var addressField: String?
  /// Sign-ups, password sign-ins and requests for codes of one address in five minutes (`RATE_LIMIT_OTP`).
  public var signIns = 30
  /// Attempts to verify codes of one address in five minutes (`RATE_LIMIT_VERIFY`).
  public var verifications = 30
  /// Uses of refresh tokens of one address in five minutes (`RATE_LIMIT_TOKEN_REFRESH`).
  public var tokenRefreshes = 150
  /// New anonymous users of one address in an hour (`RATE_LIMIT_ANONYMOUS_USERS`).
  public var anonymousUsers = 30
  /// Mails in an hour, to whomever (`RATE_LIMIT_EMAIL_SENT`).
  public var emailsSent = 30
  /// Text messages in an hour, to whomever (`RATE_LIMIT_SMS_SENT`).
  public var textMessagesSent = 30
  /// How long to wait between two mails to a user (`SMTP_MAX_FREQUENCY`).
  public var emailInterval = Duration.seconds(60)
  /// How long to wait between two text messages to a user (`SMS_MAX_FREQUENCY`).
  public var textMessageInterval = Duration.seconds(60)

  /// GoTrue's defaults.
  public init() {}
}
