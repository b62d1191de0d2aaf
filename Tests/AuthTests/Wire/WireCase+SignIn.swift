import Auth
import FoundationEssentials
import SwiftwaterHTTP

extension WireCase {
  static let signIn: [WireCase] = [
    WireCase(
      "signUp by address", "POST /signup?redirect_to=app:%2F%2Fback",
      body:
        #"{"email":"a@example.com","password":"secret-password","data":{"snake_key":1,"camelKey":null},"gotrue_meta_security":{"captcha_token":"secret-captcha"}}"#,
      answer: Sample.session(7),
      run: {
        try await $0.signUp(
          email: "a@example.com", password: "secret-password", data: ["snake_key": 1, "camelKey": nil],
          redirectTo: URL(string: "app://back"), captchaToken: "secret-captcha")
      }),
    WireCase(
      "signUp by number", "POST /signup",
      body: #"{"phone":"+15550100","password":"secret-password","channel":"whatsapp"}"#, answer: Sample.user(),
      run: { try await $0.signUp(phone: "+15550100", password: "secret-password", channel: .whatsapp) }),
    WireCase(
      "signIn by address", "POST /token?grant_type=password",
      body: #"{"email":"a@example.com","password":"secret-password"}"#, answer: Sample.session(7),
      run: { try await $0.signIn(email: "a@example.com", password: "secret-password") }),
    WireCase(
      "signIn by number", "POST /token?grant_type=password",
      body: #"{"phone":"+15550100","password":"secret-password"}"#, answer: Sample.session(7),
      run: { try await $0.signIn(phone: "+15550100", password: "secret-password") }),
    WireCase(
      "signInAnonymously", "POST /signup",
      body: #"{"data":{"a":1},"gotrue_meta_security":{"captcha_token":"secret-captcha"}}"#, answer: Sample.session(7),
      run: { try await $0.signInAnonymously(data: ["a": 1], captchaToken: "secret-captcha") }),
    WireCase(
      "signInWithIdToken", "POST /token?grant_type=id_token",
      body:
        #"{"provider":"apple","id_token":"secret-id","access_token":"secret-at","nonce":"secret-nonce","link_identity":false}"#,
      answer: Sample.session(7),
      run: {
        try await $0.signInWithIdToken(
          credentials: .init(
            provider: .apple, idToken: "secret-id", accessToken: "secret-at", nonce: "secret-nonce"))
      }),
    WireCase(
      "signInWithWeb3", "POST /token?grant_type=web3",
      body: #"{"chain":"solana","message":"sign in","signature":"secret-signature"}"#, answer: Sample.session(7),
      run: {
        try await $0.signInWithWeb3(
          credentials: .init(chain: .solana, message: "sign in", signature: "secret-signature"))
      }),
    WireCase(
      "signInWithOTP by address", "POST /otp?redirect_to=app:%2F%2Fback",
      body: #"{"email":"a@example.com","create_user":false,"data":{"a":1}}"#,
      run: {
        try await $0.signInWithOTP(
          email: "a@example.com", redirectTo: URL(string: "app://back"), shouldCreateUser: false, data: ["a": 1])
      }),
    WireCase(
      "signInWithOTP by number", "POST /otp", body: #"{"phone":"+15550100","create_user":true,"channel":"sms"}"#,
      run: { try await $0.signInWithOTP(phone: "+15550100") }),
    WireCase(
      "signInWithSSO by domain", "POST /sso",
      body: #"{"domain":"example.com","redirect_to":"app://back"}"#, answer: #"{"url":"https://idp.test/"}"#,
      run: { _ = try await $0.signInWithSSO(domain: "example.com", redirectTo: URL(string: "app://back")) }),
    WireCase(
      "signInWithSSO by provider", "POST /sso",
      body: #"{"provider_id":"p","gotrue_meta_security":{"captcha_token":"secret-captcha"}}"#,
      answer: #"{"url":"https://idp.test/"}"#,
      run: { _ = try await $0.signInWithSSO(providerId: "p", captchaToken: "secret-captcha") }),
    WireCase(
      "verifyOTP by address", "POST /verify",
      body: #"{"email":"a@example.com","token":"secret-otp","type":"email_change"}"#,
      answer: #"{"code":"200","msg":"Confirmation link accepted."}"#,
      run: { try await $0.verifyOTP(email: "a@example.com", token: "secret-otp", type: .emailChange) }),
    WireCase(
      "verifyOTP by number", "POST /verify", body: #"{"phone":"+15550100","token":"secret-otp","type":"phone_change"}"#,
      answer: Sample.session(7),
      run: { try await $0.verifyOTP(phone: "+15550100", token: "secret-otp", type: .phoneChange) }),
    WireCase(
      "verifyOTP by hash", "POST /verify", body: #"{"token_hash":"secret-hash","type":"invite"}"#,
      answer: Sample.session(7), run: { try await $0.verifyOTP(tokenHash: "secret-hash", type: .invite) }),
    WireCase(
      "resend by address", "POST /resend?redirect_to=app:%2F%2Fback",
      body: #"{"email":"a@example.com","type":"signup"}"#,
      run: {
        try await $0.resend(email: "a@example.com", type: .signup, emailRedirectTo: URL(string: "app://back"))
      }),
    WireCase(
      "resend by number", "POST /resend", body: #"{"phone":"+15550100","type":"sms"}"#,
      answer: #"{"message_id":"m"}"#, run: { try await $0.resend(phone: "+15550100", type: .sms) }),
    WireCase(
      "resetPasswordForEmail", "POST /recover", body: #"{"email":"a@example.com"}"#,
      run: { try await $0.resetPasswordForEmail("a@example.com") }),
    WireCase(
      "refreshSession", "POST /token?grant_type=refresh_token", body: #"{"refresh_token":"refresh-1"}"#,
      answer: Sample.session(7), run: { try await $0.refreshSession() }),
    WireCase(
      "exchangeCodeForSession", "POST /token?grant_type=pkce",
      body: #"{"auth_code":"secret-code","code_verifier":"secret-verifier"}"#, answer: Sample.session(7),
      flowType: .pkce, run: { try await $0.exchangeCodeForSession(authCode: "secret-code") }),
    WireCase(
      "session(from:)", "GET /user", as: "bearer secret-access", answer: Sample.user(),
      run: {
        let url = "app://back#access_token=secret-access&expires_in=60&refresh_token=secret-refresh&token_type=bearer"
        try await $0.session(from: URL(string: url) ?? URL(filePath: "/"))
      }),
    WireCase("signOut", "POST /logout?scope=global", as: session, run: { try await $0.signOut() }),
    WireCase("signOut here", "POST /logout?scope=local", as: session, run: { try await $0.signOut(scope: .local) }),
    WireCase(
      "signOut elsewhere", "POST /logout?scope=others", as: session, run: { try await $0.signOut(scope: .others) }),
  ]
}
