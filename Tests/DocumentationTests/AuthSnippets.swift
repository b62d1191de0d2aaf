// The snippets of docs/guides/auth.md and of the module's page, with just enough around them to compile. What they do
// is proven in AuthTests.
import Auth
import Foundation
import PostgREST

private struct Snippets {
  let url = URL(filePath: "/")
  let key = "key"
  let secretKey = "key"
  let email = "anna@example.com"
  let password = "secret"
  let code = "123456"
  let auth: AuthClient

  func setUp() async throws {
    let auth = AuthClient(configuration: .init(url: url, headers: [.apikey: key]))
    try await auth.signIn(email: email, password: password)
    let token = try await auth.session.accessToken
    _ = token
  }

  func signUp() async throws {
    let response = try await auth.signUp(
      email: email, password: password, data: ["full_name": "Anna"], redirectTo: URL(string: "myapp://confirmed"))
    if response.session == nil { print("look into your mail, \(response.user.email ?? "")") }
  }

  func codes() async throws {
    try await auth.signInWithOTP(email: email)
    try await auth.verifyOTP(email: email, token: code, type: .email)
  }

  func password() async throws {
    try await auth.resetPasswordForEmail(email, redirectTo: URL(string: "myapp://new-password"))
    // Then, when PASSWORD_RECOVERY was told:
    try await auth.update(user: UserAttributes(password: password))
  }

  func browser(open: @escaping @MainActor @Sendable (URL) async throws -> URL) async throws {
    try await auth.signInWithOAuth(provider: .github, redirectTo: URL(string: "myapp://back"), scopes: "read:user") {
      url in try await open(url)
    }
  }

  func ownBrowser(callback: URL) async throws {
    let url = try auth.getOAuthSignInURL(provider: .google, redirectTo: URL(string: "myapp://back"))
    print("open \(url)")
    // What it has led back to:
    let session = try await auth.session(from: callback)
    _ = session
  }

  func others(idToken: String, nonce: String, message: String, signature: String) async throws {
    try await auth.signInWithIdToken(credentials: .init(provider: .apple, idToken: idToken, nonce: nonce))
    try await auth.signInWithWeb3(credentials: .init(chain: .ethereum, message: message, signature: signature))
    let sso = try await auth.signInWithSSO(domain: "example.com")
    print("open \(sso.url)")
    try await auth.signInAnonymously()
  }

  func linking(idToken: String) async throws {
    try await auth.linkIdentityWithIdToken(credentials: .init(provider: .google, idToken: idToken))
    let identities = try await auth.userIdentities()
    if let github = identities.first(where: { $0.provider == "github" }) { try await auth.unlinkIdentity(github) }
  }

  func factors() async throws {
    let factor = try await auth.mfa.enroll(params: .totp(friendlyName: "phone"))
    print("scan \(factor.totp?.uri ?? "")")
    try await auth.mfa.challengeAndVerify(params: .init(factorId: factor.id, code: code))
    let level = try await auth.mfa.getAuthenticatorAssuranceLevel()
    if level.currentLevel != level.nextLevel { print("ask for the second factor") }
  }

  func passkeys(authenticator: @escaping @Sendable (JSONValue) async throws -> JSONValue) async throws {
    try await auth.registerPasskey { options in try await authenticator(options) }
    try await auth.signInWithPasskey { options in try await authenticator(options) }
  }

  func follow() async {
    for await (event, session) in auth.authStateChanges {
      switch event {
      case .initialSession, .signedIn: print(session?.user.email ?? "nobody is signed in")
      case .passwordRecovery: print("ask for a new password")
      case .signedOut: print("signed out: \(event.signOutReason ?? "")")
      default: break
      }
    }
  }

  func short() async {
    for await (event, session) in auth.authStateChanges {
      print(event.rawValue, session?.user.email ?? "", event.signOutReason ?? "")
    }
  }

  func token() {
    let signedIn = AccessTokenMiddleware { [auth] in
      auth.currentSession == nil ? nil : try await auth.session.accessToken
    }
    var http = HTTPClientConfiguration.default
    http.middlewares.append(signedIn)
    let database = PostgrestClient(configuration: .init(url: url, headers: [.apikey: key], http: http))
    _ = database
  }

  func server(jwt: String) async throws {
    let claims = try await auth.getClaims(jwt: jwt).claims
    print(claims.sub ?? "", claims.role ?? "", claims.additionalClaims["tenant"] ?? .null)
  }

  func administration() async throws {
    let admin = AuthClient(
      configuration: .init(
        url: url, headers: [.apikey: secretKey], localStorage: InMemoryLocalStorage(), autoRefreshToken: false)
    ).admin
    let user = try await admin.createUser(attributes: .init(email: email, emailConfirm: true))
    try await admin.updateUserById(user.id, attributes: .init(appMetadata: ["plan": "pro"]))
    for try await user in admin.users() { print(user.email ?? "") }
  }

  func consent(id: String) async throws {
    switch try await auth.oauthServer.getAuthorizationDetails(authorizationId: id) {
    case .details(let details):
      print("\(details.client.name) asks for \(details.scope)")
      let redirect = try await auth.oauthServer.approveAuthorization(authorizationId: id)
      print("go on at \(redirect.redirectURL)")
    case .redirect(let redirect): print("go on at \(redirect.redirectURL)")
    }
  }

  func errors() async throws {
    do {
      try await auth.signIn(email: email, password: password)
    } catch let error as AuthError where error.errorCode == .invalidCredentials {
      print("wrong address or password")
    } catch let error as AuthError where error.kind == .transport {
      print("no network: \(error.message)")
    }
  }

  func storages() {
    let shared = AuthClient.Configuration(
      url: url, storageKey: "sb-demo-auth-token", localStorage: FileLocalStorage(folder: "/var/lib/demo"))
    _ = shared
  }
}

private struct VaultStorage: AuthLocalStorage {
  let vault: any Vault

  func store(key: String, value: Data) throws { try vault.write(key, value) }
  func retrieve(key: String) throws -> Data? { try vault.read(key) }
  func remove(key: String) throws { try vault.write(key, nil) }
}

private protocol Vault: Sendable {
  func read(_ name: String) throws -> Data?
  func write(_ name: String, _ value: Data?) throws
}
