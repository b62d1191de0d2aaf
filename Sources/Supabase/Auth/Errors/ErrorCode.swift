/// What an auth server calls a failure; open to codes that are not listed here.
public struct ErrorCode: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The code as the server writes it.
  public let rawValue: String

  /// Takes any code.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any code.
  public init(_ rawValue: String) { self.init(rawValue: rawValue) }

  /// Takes any code.
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension ErrorCode {
  /// The server has given none, or the error is not from it.
  public static let unknown: ErrorCode = "unknown"
  /// Something failed on the server that should not.
  public static let unexpectedFailure: ErrorCode = "unexpected_failure"
  /// What was sent is not of the expected form.
  public static let validationFailed: ErrorCode = "validation_failed"
  /// What was sent is no JSON.
  public static let badJSON: ErrorCode = "bad_json"
  /// The address belongs to a user already.
  public static let emailExists: ErrorCode = "email_exists"
  /// The number belongs to a user already.
  public static let phoneExists: ErrorCode = "phone_exists"
  /// The token is none that the server believes.
  public static let badJWT: ErrorCode = "bad_jwt"
  /// Only an administrator may do this.
  public static let notAdmin: ErrorCode = "not_admin"
  /// The request needs a token.
  public static let noAuthorization: ErrorCode = "no_authorization"
  /// There is no such user any more.
  public static let userNotFound: ErrorCode = "user_not_found"
  /// The session has ended, such as by signing out.
  public static let sessionNotFound: ErrorCode = "session_not_found"
  /// The session has lasted too long, or was not used for too long.
  public static let sessionExpired: ErrorCode = "session_expired"
  /// The session of the refresh token has ended.
  public static let refreshTokenNotFound: ErrorCode = "refresh_token_not_found"
  /// The refresh token was used before, which ends the session.
  public static let refreshTokenAlreadyUsed: ErrorCode = "refresh_token_already_used"
  /// The sign-in that the code belongs to is over.
  public static let flowStateNotFound: ErrorCode = "flow_state_not_found"
  /// The sign-in has taken too long.
  public static let flowStateExpired: ErrorCode = "flow_state_expired"
  /// Nobody can sign up.
  public static let signupDisabled: ErrorCode = "signup_disabled"
  /// The user is banned.
  public static let userBanned: ErrorCode = "user_banned"
  /// The provider's address has to be confirmed first.
  public static let providerEmailNeedsVerification: ErrorCode = "provider_email_needs_verification"
  /// The invitation has expired or was used.
  public static let inviteNotFound: ErrorCode = "invite_not_found"
  /// The provider has come back with another state.
  public static let badOAuthState: ErrorCode = "bad_oauth_state"
  /// The provider has come back without what is needed.
  public static let badOAuthCallback: ErrorCode = "bad_oauth_callback"
  /// The provider is not set up.
  public static let oauthProviderNotSupported: ErrorCode = "oauth_provider_not_supported"
  /// The token is for another audience.
  public static let unexpectedAudience: ErrorCode = "unexpected_audience"
  /// The user's last identity cannot be unlinked.
  public static let singleIdentityNotDeletable: ErrorCode = "single_identity_not_deletable"
  /// The address of the other identity belongs to another user.
  public static let emailConflictIdentityNotDeletable: ErrorCode = "email_conflict_identity_not_deletable"
  /// The account is linked to a user already.
  public static let identityAlreadyExists: ErrorCode = "identity_already_exists"
  /// There is no such identity.
  public static let identityNotFound: ErrorCode = "identity_not_found"
  /// Addresses cannot be signed in with.
  public static let emailProviderDisabled: ErrorCode = "email_provider_disabled"
  /// Numbers cannot be signed in with.
  public static let phoneProviderDisabled: ErrorCode = "phone_provider_disabled"
  /// The provider cannot be signed in with.
  public static let providerDisabled: ErrorCode = "provider_disabled"
  /// Nobody can sign in anonymously.
  public static let anonymousProviderDisabled: ErrorCode = "anonymous_provider_disabled"
  /// Wallets cannot be signed in with.
  public static let web3ProviderDisabled: ErrorCode = "web3_provider_disabled"
  /// The user has too many second factors.
  public static let tooManyEnrolledMFAFactors: ErrorCode = "too_many_enrolled_mfa_factors"
  /// The user has a second factor of that name.
  public static let mfaFactorNameConflict: ErrorCode = "mfa_factor_name_conflict"
  /// There is no such second factor.
  public static let mfaFactorNotFound: ErrorCode = "mfa_factor_not_found"
  /// The proof comes from another address than the challenge.
  public static let mfaIPAddressMismatch: ErrorCode = "mfa_ip_address_mismatch"
  /// The challenge has expired.
  public static let mfaChallengeExpired: ErrorCode = "mfa_challenge_expired"
  /// The code is wrong.
  public static let mfaVerificationFailed: ErrorCode = "mfa_verification_failed"
  /// A hook of the project has rejected the proof.
  public static let mfaVerificationRejected: ErrorCode = "mfa_verification_rejected"
  /// Phones cannot be enrolled.
  public static let mfaPhoneEnrollDisabled: ErrorCode = "mfa_phone_enroll_not_enabled"
  /// Phones cannot be proven.
  public static let mfaPhoneVerifyDisabled: ErrorCode = "mfa_phone_verify_not_enabled"
  /// Authenticator apps cannot be enrolled.
  public static let mfaTOTPEnrollDisabled: ErrorCode = "mfa_totp_enroll_not_enabled"
  /// Authenticator apps cannot be proven.
  public static let mfaTOTPVerifyDisabled: ErrorCode = "mfa_totp_verify_not_enabled"
  /// Passkeys cannot be enrolled.
  public static let mfaWebAuthnEnrollDisabled: ErrorCode = "mfa_webauthn_enroll_not_enabled"
  /// Passkeys cannot be proven.
  public static let mfaWebAuthnVerifyDisabled: ErrorCode = "mfa_webauthn_verify_not_enabled"
  /// A factor of that kind was proven already.
  public static let mfaVerifiedFactorExists: ErrorCode = "mfa_verified_factor_exists"
  /// A second factor has to be proven first.
  public static let insufficientAAL: ErrorCode = "insufficient_aal"
  /// The proof that a person is at work was not accepted.
  public static let captchaFailed: ErrorCode = "captcha_failed"
  /// There is no single sign-on.
  public static let samlProviderDisabled: ErrorCode = "saml_provider_disabled"
  /// Identities cannot be linked by users.
  public static let manualLinkingDisabled: ErrorCode = "manual_linking_disabled"
  /// The message could not be sent.
  public static let smsSendFailed: ErrorCode = "sms_send_failed"
  /// The address has to be confirmed first.
  public static let emailNotConfirmed: ErrorCode = "email_not_confirmed"
  /// The number has to be confirmed first.
  public static let phoneNotConfirmed: ErrorCode = "phone_not_confirmed"
  /// The single sign-on is over.
  public static let samlRelayStateNotFound: ErrorCode = "saml_relay_state_not_found"
  /// The single sign-on has taken too long.
  public static let samlRelayStateExpired: ErrorCode = "saml_relay_state_expired"
  /// There is no such identity provider.
  public static let samlIdPNotFound: ErrorCode = "saml_idp_not_found"
  /// The identity provider does not tell who the user is.
  public static let samlAssertionNoUserID: ErrorCode = "saml_assertion_no_user_id"
  /// The identity provider does not tell the user's address.
  public static let samlAssertionNoEmail: ErrorCode = "saml_assertion_no_email"
  /// The identity provider's metadata cannot be fetched.
  public static let samlMetadataFetchFailed: ErrorCode = "saml_metadata_fetch_failed"
  /// The identity provider was added before.
  public static let samlIdPAlreadyExists: ErrorCode = "saml_idp_already_exists"
  /// The metadata is another identity provider's.
  public static let samlEntityIDMismatch: ErrorCode = "saml_entity_id_mismatch"
  /// No identity provider is responsible.
  public static let ssoProviderNotFound: ErrorCode = "sso_provider_not_found"
  /// The domain has an identity provider already.
  public static let ssoDomainAlreadyExists: ErrorCode = "sso_domain_already_exists"
  /// The user exists already.
  public static let userAlreadyExists: ErrorCode = "user_already_exists"
  /// The identity provider decides about this user.
  public static let userSSOManaged: ErrorCode = "user_sso_managed"
  /// Somebody else has changed the same at the same time.
  public static let conflict: ErrorCode = "conflict"
  /// The code of a reauthentication is needed.
  public static let reauthenticationNeeded: ErrorCode = "reauthentication_needed"
  /// The code of the reauthentication is wrong.
  public static let reauthenticationNotValid: ErrorCode = "reauthentication_not_valid"
  /// The new password is the old one.
  public static let samePassword: ErrorCode = "same_password"
  /// The password is too weak.
  public static let weakPassword: ErrorCode = "weak_password"
  /// The code or link has expired, or was used.
  public static let otpExpired: ErrorCode = "otp_expired"
  /// Codes and links cannot be signed in with.
  public static let otpDisabled: ErrorCode = "otp_disabled"
  /// There were too many requests.
  public static let overRequestRateLimit: ErrorCode = "over_request_rate_limit"
  /// There were too many mails.
  public static let overEmailSendRateLimit: ErrorCode = "over_email_send_rate_limit"
  /// There were too many messages.
  public static let overSMSSendRateLimit: ErrorCode = "over_sms_send_rate_limit"
  /// The code belongs to another sign-in.
  public static let badCodeVerifier: ErrorCode = "bad_code_verifier"
  /// The address, the number or the password is wrong.
  public static let invalidCredentials: ErrorCode = "invalid_credentials"
  /// The project sends mails to its own members only.
  public static let emailAddressNotAuthorized: ErrorCode = "email_address_not_authorized"
  /// The address is none that is accepted.
  public static let emailAddressInvalid: ErrorCode = "email_address_invalid"
  /// A hook of the project has taken too long.
  public static let hookTimeout: ErrorCode = "hook_timeout"
  /// A hook of the project has taken too long several times.
  public static let hookTimeoutAfterRetry: ErrorCode = "hook_timeout_after_retry"
  /// What a hook of the project is told is too large.
  public static let hookPayloadOverSizeLimit: ErrorCode = "hook_payload_over_size_limit"
  /// A hook of the project answers in the wrong form.
  public static let hookPayloadInvalidContentType: ErrorCode = "hook_payload_invalid_content_type"
  /// The server has taken too long.
  public static let requestTimeout: ErrorCode = "request_timeout"
  /// The token's signature, form or time is not right.
  public static let invalidJWT: ErrorCode = "invalid_jwt"
  /// The project does not have this.
  public static let featureDisabled: ErrorCode = "feature_disabled"
  /// There is no such request of an app, or not any more.
  public static let oauthAuthorizationNotFound: ErrorCode = "oauth_authorization_not_found"
  /// Nothing was granted to the app.
  public static let oauthConsentNotFound: ErrorCode = "oauth_consent_not_found"
  /// There is no such app.
  public static let oauthClientNotFound: ErrorCode = "oauth_client_not_found"
  /// The code or refresh token is not accepted (RFC 6749 §5.2).
  public static let invalidGrant: ErrorCode = "invalid_grant"
  /// The user, or the provider, has declined (RFC 6749 §4.1.2.1).
  public static let accessDenied: ErrorCode = "access_denied"
}
