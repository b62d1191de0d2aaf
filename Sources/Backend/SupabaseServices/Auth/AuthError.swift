internal import SwiftwaterHTTP

/// An answer that says what went wrong, as GoTrue does.
struct AuthError: Error, Equatable, Sendable {
  /// What clients decide by. Open: GoTrue adds some with each version.
  struct Code: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    init(rawValue: String) { self.rawValue = rawValue }
    fileprivate init(_ rawValue: String) { self.rawValue = rawValue }
  }

  var status: Int
  var code: Code
  var message: String
  /// Why a password is too weak.
  var weakPasswordReasons: [String]?
  /// After how many seconds to ask again.
  var retryAfter: Int?

  init(_ status: Int, _ code: Code, _ message: String) {
    self.status = status
    self.code = code
    self.message = message
  }
}

extension AuthError.Code {
  static let anonymousProviderDisabled = Self("anonymous_provider_disabled")
  static let badCodeVerifier = Self("bad_code_verifier")
  static let badJSON = Self("bad_json")
  static let badJWT = Self("bad_jwt")
  static let badOAuthCallback = Self("bad_oauth_callback")
  static let badOAuthState = Self("bad_oauth_state")
  static let conflict = Self("conflict")
  static let emailConflictIdentityNotDeletable = Self("email_conflict_identity_not_deletable")
  static let emailExists = Self("email_exists")
  static let emailNotConfirmed = Self("email_not_confirmed")
  static let emailProviderDisabled = Self("email_provider_disabled")
  static let flowStateExpired = Self("flow_state_expired")
  static let flowStateNotFound = Self("flow_state_not_found")
  static let identityAlreadyExists = Self("identity_already_exists")
  static let identityNotFound = Self("identity_not_found")
  static let insufficientAAL = Self("insufficient_aal")
  static let invalidCredentials = Self("invalid_credentials")
  static let manualLinkingDisabled = Self("manual_linking_disabled")
  static let mfaChallengeExpired = Self("mfa_challenge_expired")
  static let mfaFactorNameConflict = Self("mfa_factor_name_conflict")
  static let mfaFactorNotFound = Self("mfa_factor_not_found")
  static let mfaIPAddressMismatch = Self("mfa_ip_address_mismatch")
  static let mfaVerificationFailed = Self("mfa_verification_failed")
  static let mfaVerifiedFactorExists = Self("mfa_verified_factor_exists")
  static let mfaWebAuthnEnrollDisabled = Self("mfa_webauthn_enroll_not_enabled")
  static let noAuthorization = Self("no_authorization")
  static let notAdmin = Self("not_admin")
  static let notFound = Self("not_found")
  static let otpDisabled = Self("otp_disabled")
  static let otpExpired = Self("otp_expired")
  static let overEmailSendRateLimit = Self("over_email_send_rate_limit")
  static let overRequestRateLimit = Self("over_request_rate_limit")
  static let overSMSSendRateLimit = Self("over_sms_send_rate_limit")
  static let phoneExists = Self("phone_exists")
  static let phoneNotConfirmed = Self("phone_not_confirmed")
  static let phoneProviderDisabled = Self("phone_provider_disabled")
  static let providerEmailNeedsVerification = Self("provider_email_needs_verification")
  static let reauthenticationNeeded = Self("reauthentication_needed")
  static let reauthenticationNotValid = Self("reauthentication_not_valid")
  static let refreshTokenAlreadyUsed = Self("refresh_token_already_used")
  static let refreshTokenNotFound = Self("refresh_token_not_found")
  static let samePassword = Self("same_password")
  static let samlProviderDisabled = Self("saml_provider_disabled")
  static let sessionExpired = Self("session_expired")
  static let sessionNotFound = Self("session_not_found")
  static let signUpDisabled = Self("signup_disabled")
  static let singleIdentityNotDeletable = Self("single_identity_not_deletable")
  static let smsSendFailed = Self("sms_send_failed")
  static let tooManyEnrolledMFAFactors = Self("too_many_enrolled_mfa_factors")
  static let unexpectedFailure = Self("unexpected_failure")
  static let userAlreadyExists = Self("user_already_exists")
  static let userBanned = Self("user_banned")
  static let userNotFound = Self("user_not_found")
  static let userSSOManaged = Self("user_sso_managed")
  static let validationFailed = Self("validation_failed")
  static let weakPassword = Self("weak_password")
  static let web3ProviderDisabled = Self("web3_provider_disabled")
}

// The words are GoTrue's: clients show them, and some look at them.
extension AuthError {
  static let invalidCredentials = AuthError(400, .invalidCredentials, "Invalid login credentials")
  static let userNotFound = AuthError(404, .userNotFound, "User not found")
  static let banned = AuthError(400, .userBanned, "User is banned")
  static let signUpDisabled = AuthError(422, .signUpDisabled, "Signups not allowed for this instance")
  static let emailExists = AuthError(
    422, .emailExists, "A user with this email address has already been registered")
  static let phoneExists = AuthError(422, .phoneExists, "A user with this phone number has already been registered")
  static let codeExpired = AuthError(403, .otpExpired, "Token has expired or is invalid")
  static let linkExpired = AuthError(403, .otpExpired, "Email link is invalid or has expired")
  static let emailDisabled = AuthError(400, .emailProviderDisabled, "Email logins are disabled")
  static let phoneDisabled = AuthError(400, .phoneProviderDisabled, "Phone logins are disabled")
  static let factorNotFound = AuthError(404, .mfaFactorNotFound, "Factor not found")

  static func invalid(_ message: String) -> AuthError { AuthError(400, .validationFailed, message) }

  static func badJSON(_ reason: String) -> AuthError {
    AuthError(400, .badJSON, "Could not parse request body as JSON: \(reason)")
  }

  static func unexpected(_ message: String) -> AuthError { AuthError(500, .unexpectedFailure, message) }

  static func weak(_ fault: PasswordRules.Fault) -> AuthError {
    var error = AuthError(422, .weakPassword, fault.message)
    error.weakPasswordReasons = fault.reasons
    return error
  }

  static func tooSoon(_ code: Code, seconds: Int) -> AuthError {
    var error = AuthError(
      429, code, "For security purposes, you can only request this after \(seconds) seconds.")
    error.retryAfter = seconds
    return error
  }
}
