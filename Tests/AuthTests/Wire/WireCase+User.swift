import Auth
import FoundationEssentials
import SwiftwaterHTTP

extension WireCase {
  static let user: [WireCase] = [
    WireCase("user", "GET /user", as: session, answer: Sample.user(), run: { _ = try await $0.user() }),
    WireCase(
      "user of a token", "GET /user", as: "Bearer secret-jwt", answer: Sample.user(),
      run: { _ = try await $0.user(jwt: "secret-jwt") }),
    WireCase(
      "update", "PUT /user", as: session,
      body:
        #"{"email":"b@example.com","phone":"+15550101","password":"secret-password","nonce":"secret-nonce","email_change_token":"secret-change","data":{"a":1}}"#,
      answer: Sample.user(),
      run: {
        try await $0.update(
          user: UserAttributes(
            email: "b@example.com", phone: "+15550101", password: "secret-password", nonce: "secret-nonce",
            emailChangeToken: "secret-change", data: ["a": 1]))
      }),
    WireCase("reauthenticate", "GET /reauthenticate", as: session, run: { try await $0.reauthenticate() }),
    WireCase(
      "userIdentities", "GET /user", as: session, answer: Sample.user(), run: { _ = try await $0.userIdentities() }),
    WireCase(
      "getLinkIdentityURL",
      "GET /user/identities/authorize?provider=github&scopes=repo&redirect_to=app:%2F%2Fback&x=y&skip_http_redirect=true",
      as: session, answer: #"{"url":"https://provider.test/?a=b"}"#,
      run: {
        _ = try await $0.getLinkIdentityURL(
          provider: .github, scopes: "repo", redirectTo: URL(string: "app://back"), queryParams: [("x", "y")])
      }),
    WireCase(
      "linkIdentity", "GET /user/identities/authorize?provider=x&skip_http_redirect=true", as: session,
      answer: #"{"url":"https://provider.test/"}"#,
      run: { try await $0.linkIdentity(provider: .x) { _ in } }),
    WireCase(
      "linkIdentityWithIdToken", "POST /token?grant_type=id_token", as: session,
      body: #"{"provider":"google","id_token":"secret-id","link_identity":true}"#, answer: Sample.session(7),
      run: { try await $0.linkIdentityWithIdToken(credentials: .init(provider: .google, idToken: "secret-id")) }),
    WireCase(
      "unlinkIdentity", "DELETE /user/identities/859F402D-B3DE-4105-A1B9-932836D9193B", as: session,
      run: {
        try await $0.unlinkIdentity(
          UserIdentity(
            id: "1", identityId: UUID(uuidString: Sample.berta) ?? UUID(), userId: UUID(), provider: "github"))
      }),
  ]

  static let factors: [WireCase] = [
    WireCase(
      "mfa.enroll an app", "POST /factors", as: session,
      body: #"{"factor_type":"totp","issuer":"example.com","friendly_name":"app"}"#,
      answer: #"{"id":"f","type":"totp","totp":{"qr_code":"<svg>","secret":"secret-totp","uri":"otpauth://x"}}"#,
      run: { _ = try await $0.mfa.enroll(params: .totp(issuer: "example.com", friendlyName: "app")) }),
    WireCase(
      "mfa.enroll a phone", "POST /factors", as: session, body: #"{"factor_type":"phone","phone":"+15550100"}"#,
      answer: #"{"id":"f","type":"phone","phone":"+15550100"}"#,
      run: { _ = try await $0.mfa.enroll(params: .phone(phone: "+15550100")) }),
    WireCase(
      "mfa.enroll a passkey", "POST /factors", as: session,
      body: #"{"factor_type":"webauthn","friendly_name":"key"}"#, answer: #"{"id":"f","type":"webauthn"}"#,
      run: { _ = try await $0.mfa.enroll(params: .webAuthn(friendlyName: "key")) }),
    WireCase(
      "mfa.challenge", "POST /factors/f%2F1/challenge", as: session,
      answer: #"{"id":"c","type":"totp","expires_at":1700000300}"#,
      run: { _ = try await $0.mfa.challenge(params: .init(factorId: "f/1")) }),
    WireCase(
      "mfa.challenge a passkey", "POST /factors/f/challenge", as: session,
      body: #"{"webauthn":{"rp_id":"example.com"}}"#,
      answer:
        #"{"id":"c","type":"webauthn","expires_at":1,"webauthn":{"type":"create","credential_options":{"publicKey":{"rpId":"x"}}}}"#,
      run: {
        _ = try await $0.mfa.challenge(
          params: .init(factorId: "f", webAuthn: .init(relyingPartyIdentifier: "example.com")))
      }),
    WireCase(
      "mfa.verify", "POST /factors/f/verify", as: session,
      body: #"{"factor_id":"f","challenge_id":"c","code":"secret-otp"}"#, answer: Sample.session(7),
      run: { try await $0.mfa.verify(params: .init(factorId: "f", challengeId: "c", code: "secret-otp")) }),
    WireCase(
      "mfa.verify a new passkey", "POST /factors/f/verify", as: session,
      body:
        #"{"challenge_id":"c","webauthn":{"type":"create","credential_response":{"response":{"attestationObject":"secret-a"}}}}"#,
      answer: Sample.session(7),
      run: {
        try await $0.mfa.verify(
          params: .init(
            factorId: "f", challengeId: "c",
            credentialResponse: ["response": ["attestationObject": "secret-a"]]))
      }),
    WireCase(
      "mfa.challengeAndVerify", "POST /factors/f/verify", as: session,
      body: #"{"factor_id":"f","challenge_id":"c","code":"secret-otp"}"#, answer: Sample.session(7), before: 1,
      run: { try await $0.mfa.challengeAndVerify(params: .init(factorId: "f", code: "secret-otp")) }),
    WireCase(
      "mfa.unenroll", "DELETE /factors/f", as: session, answer: #"{"id":"f"}"#,
      run: { try await $0.mfa.unenroll(params: .init(factorId: "f")) }),
    WireCase(
      "mfa.listFactors", "GET /user", as: session, answer: Sample.user(), run: { _ = try await $0.mfa.listFactors() }),
    WireCase(
      "mfa.recoveryCodes.status", "GET /factors/recovery-codes", as: session, answer: #"{"total":10,"remaining":9}"#,
      run: { _ = try await $0.mfa.recoveryCodes.status() }),
    WireCase(
      "mfa.recoveryCodes.generate", "POST /factors/recovery-codes", as: session, body: #"{"friendly_name":"n"}"#,
      answer: #"{"codes":["secret-recovery"]}"#,
      run: { _ = try await $0.mfa.recoveryCodes.generate(friendlyName: "n") }),
    WireCase(
      "mfa.recoveryCodes.regenerate", "POST /factors/recovery-codes/regenerate", as: session,
      answer: #"{"codes":["secret-recovery"]}"#, run: { _ = try await $0.mfa.recoveryCodes.regenerate() }),
    WireCase(
      "mfa.recoveryCodes.verify", "POST /factors/recovery-codes/verify", as: session, body: #"{"code":"secret-otp"}"#,
      answer: Sample.session(7), run: { try await $0.mfa.recoveryCodes.verify(code: "secret-otp") }),
    WireCase(
      "mfa.recoveryCodes.unenroll", "DELETE /factors/recovery-codes", as: session, answer: #"{"id":"f"}"#,
      run: { try await $0.mfa.recoveryCodes.unenroll() }),
  ]

  private static let challenge = #"{"challenge_id":"c","options":{"challenge":"x"},"expires_at":1700000300}"#
  private static let passkey =
    #"{"id":"p","friendly_name":"key","created_at":"2026-01-01T00:00:00Z","last_used_at":null}"#

  static let passkeys: [WireCase] = [
    WireCase(
      "getPasskeyRegistrationOptions", "POST /passkeys/registration/options", as: session, answer: challenge,
      run: { _ = try await $0.getPasskeyRegistrationOptions() }),
    WireCase(
      "registerPasskey", "POST /passkeys/registration/verify", as: session,
      body: #"{"challenge_id":"c","credential":{"rawId":"secret-raw","clientDataJSON":1}}"#, answer: passkey, before: 1,
      run: {
        try await $0.registerPasskey { options in
          guard options == ["challenge": "x"] else { throw CancellationError() }
          return ["rawId": "secret-raw", "clientDataJSON": 1]
        }
      }),
    WireCase(
      "getPasskeyAuthenticationOptions", "POST /passkeys/authentication/options", answer: challenge,
      run: { _ = try await $0.getPasskeyAuthenticationOptions() }),
    WireCase(
      "signInWithPasskey", "POST /passkeys/authentication/verify",
      body: #"{"challenge_id":"c","credential":{"rawId":"secret-raw"}}"#, answer: Sample.session(7), before: 1,
      run: { try await $0.signInWithPasskey { _ in ["rawId": "secret-raw"] } }),
    WireCase(
      "listPasskeys", "GET /passkeys/", as: session, answer: "[\(passkey)]", run: { _ = try await $0.listPasskeys() }),
    WireCase(
      "renamePasskey", "PATCH /passkeys/p", as: session, body: #"{"friendly_name":"n"}"#, answer: passkey,
      run: { try await $0.renamePasskey(id: "p", friendlyName: "n") }),
    WireCase("deletePasskey", "DELETE /passkeys/p", as: session, run: { try await $0.deletePasskey(id: "p") }),
  ]
}
