import Auth
import FoundationEssentials

/// A recorded request, and the means to make the client send it.
struct ConformanceCall: Sendable {
  let client: AuthClient
  let request: CurlCommand

  /// A member of the body.
  func member(_ name: String) -> String { text(name) ?? "" }
  func text(_ name: String) -> String? { request.body?[name]?.stringValue }
  var captcha: String? { request.body?["gotrue_meta_security"]?["captcha_token"]?.stringValue }
  var data: [String: JSONValue]? { request.body?["data"]?.objectValue }
  var redirect: URL? { request.query["redirect_to"].flatMap { URL(string: $0) } }
  /// The part of the path at that place.
  func segment(_ index: Int) -> String {
    request.segments.indices.contains(index) ? request.segments[index] : ""
  }
  func identifier(_ index: Int) -> UUID { UUID(uuidString: segment(index)) ?? UUID() }
  var channel: MessagingChannel { MessagingChannel(rawValue: member("channel")) }
  /// The access token of the request.
  var token: String { request.headers["authorization"]?.split(separator: " ").last.map(String.init) ?? "" }
}

/// The members of the client that the recorded requests are of, by the names of their files. What a member is given is
/// taken from the request.
enum ConformanceCalls {
  typealias Call = @Sendable (ConformanceCall) async throws -> Void

  /// The call of that name, however it is capitalized.
  static func named(_ name: String) -> Call? { all.first { $0.key.lowercased() == name.lowercased() }?.value }

  private static let all: [String: Call] = signIn.merging(codes) { $1 }.merging(flows) { $1 }.merging(session) { $1 }
    .merging(user) { $1 }.merging(factors) { $1 }.merging(passkeys) { $1 }.merging(admin) { $1 }.merging(server) { $1 }

  private static let signIn: [String: Call] = [
    "signUpWithEmailAndPassword": {
      try await $0.client.signUp(
        email: $0.member("email"), password: $0.member("password"), data: $0.data, redirectTo: $0.redirect,
        captchaToken: $0.captcha)
    },
    "signUpWithPhoneAndPassword": {
      try await $0.client.signUp(
        phone: $0.member("phone"), password: $0.member("password"), channel: $0.channel, data: $0.data,
        captchaToken: $0.captcha)
    },
    "signInWithEmailAndPassword": {
      try await $0.client.signIn(
        email: $0.member("email"), password: $0.member("password"), captchaToken: $0.captcha)
    },
    "signInWithPhoneAndPassword": {
      try await $0.client.signIn(
        phone: $0.member("phone"), password: $0.member("password"), captchaToken: $0.captcha)
    },
    "signInAnonymously": { try await $0.client.signInAnonymously(data: $0.data, captchaToken: $0.captcha) },
    "signInWithIdToken": { try await $0.client.signInWithIdToken(credentials: $0.credentials) },
    "linkIdentityWithIdToken": { try await $0.client.linkIdentityWithIdToken(credentials: $0.credentials) },
    "signInWithWeb3": {
      try await $0.client.signInWithWeb3(
        credentials: Web3Credentials(
          chain: Web3Chain(rawValue: $0.member("chain")), message: $0.member("message"),
          signature: $0.member("signature"), gotrueMetaSecurity: $0.captcha.map { AuthMetaSecurity(captchaToken: $0) }))
    },
  ]

  private static let codes: [String: Call] = [
    "signInWithOTPUsingEmail": {
      try await $0.client.signInWithOTP(
        email: $0.member("email"), redirectTo: $0.redirect,
        shouldCreateUser: $0.request.body?["create_user"]?.boolValue ?? true, data: $0.data, captchaToken: $0.captcha)
    },
    "signInWithOTPUsingPhone": {
      try await $0.client.signInWithOTP(
        phone: $0.member("phone"), channel: $0.channel,
        shouldCreateUser: $0.request.body?["create_user"]?.boolValue ?? true, data: $0.data, captchaToken: $0.captcha)
    },
    "verifyOTPUsingEmail": {
      try await $0.client.verifyOTP(
        email: $0.member("email"), token: $0.member("token"), type: EmailOTPType(rawValue: $0.member("type")),
        redirectTo: $0.redirect, captchaToken: $0.captcha)
    },
    "verifyOTPUsingPhone": {
      try await $0.client.verifyOTP(
        phone: $0.member("phone"), token: $0.member("token"), type: MobileOTPType(rawValue: $0.member("type")),
        captchaToken: $0.captcha)
    },
    "verifyOTPUsingTokenHash": {
      try await $0.client.verifyOTP(
        tokenHash: $0.member("token_hash"), type: EmailOTPType(rawValue: $0.member("type")))
    },
    "resendEmail": {
      try await $0.client.resend(
        email: $0.member("email"), type: ResendEmailType(rawValue: $0.member("type")), emailRedirectTo: $0.redirect,
        captchaToken: $0.captcha)
    },
    "resendPhone": {
      try await $0.client.resend(
        phone: $0.member("phone"), type: ResendMobileType(rawValue: $0.member("type")), captchaToken: $0.captcha)
    },
    "resetPasswordForEmail": {
      try await $0.client.resetPasswordForEmail(
        $0.member("email"), redirectTo: $0.redirect, captchaToken: $0.captcha)
    },
    "reauthenticate": { try await $0.client.reauthenticate() },
  ]

  private static let flows: [String: Call] = [
    "signInWithSSOUsingDomain": {
      _ = try await $0.client.signInWithSSO(
        domain: $0.member("domain"), redirectTo: $0.text("redirect_to").flatMap { URL(string: $0) },
        captchaToken: $0.captcha)
    },
    "signInWithSSOUsingProviderId": {
      _ = try await $0.client.signInWithSSO(
        providerId: $0.member("provider_id"), redirectTo: $0.text("redirect_to").flatMap { URL(string: $0) },
        captchaToken: $0.captcha)
    },
    "exchangeCodeForSession": { try await $0.client.exchangeCodeForSession(authCode: $0.member("auth_code")) },
    "sessionFromURL": {
      let url =
        "https://dummy-url.com/callback#access_token=\($0.token)&expires_in=60&refresh_token=r&token_type=bearer"
      try await $0.client.session(from: URL(string: url) ?? URL(filePath: "/"))
    },
    "getLinkIdentityURL": {
      let own = ["provider", "scopes", "redirect_to", "skip_http_redirect"]
      _ = try await $0.client.getLinkIdentityURL(
        provider: Provider(rawValue: $0.request.query["provider"] ?? ""), scopes: $0.request.query["scopes"],
        redirectTo: $0.redirect,
        queryParams: $0.request.query.filter { !own.contains($0.key) }.map { ($0.key, $0.value) })
    },
  ]

  private static let session: [String: Call] = [
    "refreshSession": { try await $0.client.refreshSession(refreshToken: $0.member("refresh_token")) },
    "setSessionWithAFutureExpirationDate": {
      try await $0.client.setSession(accessToken: $0.token, refreshToken: "refresh")
    },
    "setSessionWithAExpiredToken": {
      try await $0.client.setSession(
        accessToken: Sample.token(expiresIn: -100), refreshToken: $0.member("refresh_token"))
    },
    "setSessionWithAnExpiredToken": {
      try await $0.client.setSession(
        accessToken: Sample.token(expiresIn: -100), refreshToken: $0.member("refresh_token"))
    },
    "signOut": { try await $0.client.signOut() },
    "signOutWithLocalScope": { try await $0.client.signOut(scope: .local) },
    "signOutWithOthersScope": { try await $0.client.signOut(scope: .others) },
  ]

  private static let user: [String: Call] = [
    "user": { _ = try await $0.client.user(jwt: $0.token) },
    "userIdentities": { _ = try await $0.client.userIdentities() },
    "linkIdentity": {
      let own = ["provider", "scopes", "redirect_to", "skip_http_redirect"]
      try await $0.client.linkIdentity(
        provider: Provider(rawValue: $0.request.query["provider"] ?? ""), scopes: $0.request.query["scopes"],
        redirectTo: $0.redirect,
        queryParams: $0.request.query.filter { !own.contains($0.key) }.map { ($0.key, $0.value) }
      ) { _ in }
    },
    "generateLink": {
      _ = try await $0.client.admin.generateLink(
        params: .signUp(
          email: $0.member("email"), password: $0.member("password"), data: $0.data, redirectTo: $0.redirect))
    },
    "updateUser": {
      try await $0.client.update(
        user: UserAttributes(
          email: $0.text("email"), phone: $0.text("phone"), password: $0.text("password"), nonce: $0.text("nonce"),
          emailChangeToken: $0.text("email_change_token"), data: $0.data), redirectTo: $0.redirect)
    },
    "unlinkIdentity": {
      try await $0.client.unlinkIdentity(
        UserIdentity(id: "id", identityId: $0.identifier(2), userId: UUID(), provider: "github"))
    },
  ]

  private static let factors: [String: Call] = [
    "mfaEnrollLegacy": { _ = try await $0.client.mfa.enroll(params: $0.totp) },
    "mfaEnrollTotp": { _ = try await $0.client.mfa.enroll(params: $0.totp) },
    "mfaEnrollPhone": {
      _ = try await $0.client.mfa.enroll(
        params: .phone(friendlyName: $0.text("friendly_name"), phone: $0.member("phone")))
    },
    "mfaEnrollWebAuthn": {
      _ = try await $0.client.mfa.enroll(params: .webAuthn(friendlyName: $0.text("friendly_name")))
    },
    "mfaChallenge": { _ = try await $0.client.mfa.challenge(params: .init(factorId: $0.segment(1))) },
    "mfaChallengePhone": {
      _ = try await $0.client.mfa.challenge(params: .init(factorId: $0.segment(1), channel: $0.channel))
    },
    "mfaChallengeWebAuthn": {
      let options = $0.request.body?["webauthn"]
      _ = try await $0.client.mfa.challenge(
        params: .init(
          factorId: $0.segment(1),
          webAuthn: WebAuthnChallengeOptions(
            relyingPartyIdentifier: options?["rp_id"]?.stringValue,
            relyingPartyOrigins: options?["rp_origins"]?.arrayValue?.compactMap(\.stringValue))))
    },
    "mfaVerify": {
      try await $0.client.mfa.verify(
        params: .init(factorId: $0.segment(1), challengeId: $0.member("challenge_id"), code: $0.member("code")))
    },
    "mfaVerifyWebAuthn": {
      try await $0.client.mfa.verify(
        params: .init(
          factorId: $0.segment(1), challengeId: $0.member("challenge_id"),
          credentialResponse: $0.request.body?["webauthn"]?["credential_response"] ?? .null))
    },
    "mfaChallengeAndVerify": {
      try await $0.client.mfa.challengeAndVerify(
        params: .init(factorId: $0.segment(1), code: $0.text("code") ?? "123456"))
    },
    "mfaUnenroll": { try await $0.client.mfa.unenroll(params: .init(factorId: $0.segment(1))) },
  ]

  private static let passkeys: [String: Call] = [
    "getPasskeyRegistrationOptions": { _ = try await $0.client.getPasskeyRegistrationOptions() },
    "getPasskeyAuthenticationOptions": { _ = try await $0.client.getPasskeyAuthenticationOptions() },
    "verifyPasskeyRegistration": {
      try await $0.client.verifyPasskeyRegistration(
        challengeId: $0.member("challenge_id"), credentialResponse: $0.request.body?["credential"] ?? .null)
    },
    "verifyPasskeyAuthentication": {
      try await $0.client.verifyPasskeyAuthentication(
        challengeId: $0.member("challenge_id"), credentialResponse: $0.request.body?["credential"] ?? .null)
    },
    "listPasskeys": { _ = try await $0.client.listPasskeys() },
    "renamePasskey": {
      try await $0.client.renamePasskey(id: $0.segment(1), friendlyName: $0.member("friendly_name"))
    },
    "deletePasskey": { try await $0.client.deletePasskey(id: $0.segment(1)) },
  ]

  private static let admin: [String: Call] = [
    "deleteUser": {
      try await $0.client.admin.deleteUser(
        id: $0.identifier(2), shouldSoftDelete: $0.request.body?["should_soft_delete"]?.boolValue ?? false)
    },
    "getUserById": { _ = try await $0.client.admin.getUserById($0.identifier(2)) },
    "updateUserById": {
      try await $0.client.admin.updateUserById($0.identifier(2), attributes: $0.attributes)
    },
    "createUser": { try await $0.client.admin.createUser(attributes: $0.attributes) },
    "inviteUserByEmail": {
      try await $0.client.admin.inviteUserByEmail($0.member("email"), data: $0.data, redirectTo: $0.redirect)
    },
    "listUsers": {
      _ = try await $0.client.admin.listUsers(
        params: PageParams(
          page: $0.request.query["page"].flatMap { Int($0) }, perPage: $0.request.query["per_page"].flatMap { Int($0) })
      )
    },
    "adminListPasskeys": { _ = try await $0.client.admin.listPasskeys(userId: $0.identifier(2)) },
    "adminDeletePasskey": {
      try await $0.client.admin.deletePasskey(userId: $0.identifier(2), passkeyId: $0.identifier(4))
    },
    "adminListFactors": { _ = try await $0.client.admin.mfa.listFactors(forUser: $0.identifier(2)) },
    "adminDeleteFactor": {
      try await $0.client.admin.mfa.deleteFactor(id: $0.identifier(4), forUser: $0.identifier(2))
    },
  ]

  private static let server: [String: Call] = [
    "getAuthorizationDetails": {
      _ = try await $0.client.oauthServer.getAuthorizationDetails(authorizationId: $0.segment(2))
    },
    "approveAuthorization": {
      _ = try await $0.client.oauthServer.approveAuthorization(authorizationId: $0.segment(2))
    },
    "denyAuthorization": { _ = try await $0.client.oauthServer.denyAuthorization(authorizationId: $0.segment(2)) },
    "listGrants": { _ = try await $0.client.oauthServer.listGrants() },
    "revokeGrant": {
      try await $0.client.oauthServer.revokeGrant(
        clientId: $0.request.query["client_id"].flatMap { UUID(uuidString: $0) } ?? UUID())
    },
  ]
}

extension ConformanceCall {
  var credentials: OpenIDConnectCredentials {
    OpenIDConnectCredentials(
      provider: .init(rawValue: member("provider")), idToken: member("id_token"), accessToken: text("access_token"),
      nonce: text("nonce"), gotrueMetaSecurity: captcha.map { AuthMetaSecurity(captchaToken: $0) })
  }

  var totp: MFATotpEnrollParams {
    MFATotpEnrollParams(issuer: text("issuer"), friendlyName: text("friendly_name"))
  }

  var attributes: AdminUserAttributes {
    AdminUserAttributes(
      appMetadata: request.body?["app_metadata"]?.objectValue, banDuration: text("ban_duration"), email: text("email"),
      emailConfirm: request.body?["email_confirm"]?.boolValue, id: text("id"), nonce: text("nonce"),
      password: text("password"), passwordHash: text("password_hash"), phone: text("phone"),
      phoneConfirm: request.body?["phone_confirm"]?.boolValue, role: text("role"),
      userMetadata: request.body?["user_metadata"]?.objectValue)
  }
}
