import Auth
import FoundationEssentials
import SwiftwaterHTTP

extension WireCase {
  private static let id = UUID(uuidString: Sample.berta) ?? UUID()
  private static let path = id.uuidString
  private static let oauthClient =
    #"{"client_id":"\#(path)","client_name":"n","client_type":"public","registration_type":"manual","redirect_uris":[],"grant_types":["refresh_token"],"response_types":["code"],"client_secret":"secret-client","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#

  static let admin: [WireCase] = [
    WireCase(
      "admin.getUserById", "GET /admin/users/\(path)", answer: Sample.user(),
      run: { _ = try await $0.admin.getUserById(id) }),
    WireCase(
      "admin.updateUserById", "PUT /admin/users/\(path)",
      body: #"{"app_metadata":{"a_b":1},"ban_duration":"24h","email_confirm":true}"#, answer: Sample.user(),
      run: {
        try await $0.admin.updateUserById(
          id, attributes: .init(appMetadata: ["a_b": 1], banDuration: "24h", emailConfirm: true))
      }),
    WireCase(
      "admin.createUser", "POST /admin/users",
      body:
        #"{"email":"a@example.com","id":"1","nonce":"secret-nonce","password":"secret-password","password_hash":"secret-hash","phone":"1","phone_confirm":false,"role":"r","user_metadata":{}}"#,
      answer: Sample.user(),
      run: {
        try await $0.admin.createUser(
          attributes: .init(
            email: "a@example.com", id: "1", nonce: "secret-nonce", password: "secret-password",
            passwordHash: "secret-hash", phone: "1", phoneConfirm: false, role: "r", userMetadata: [:]))
      }),
    WireCase(
      "admin.inviteUserByEmail", "POST /invite?redirect_to=app:%2F%2Fback",
      body: #"{"email":"a@example.com","data":{"a":1}}"#, answer: Sample.user(),
      run: {
        try await $0.admin.inviteUserByEmail(
          "a@example.com", data: ["a": 1], redirectTo: URL(string: "app://back"))
      }),
    WireCase(
      "admin.deleteUser", "DELETE /admin/users/\(path)", body: #"{"should_soft_delete":true}"#,
      run: { try await $0.admin.deleteUser(id: id, shouldSoftDelete: true) }),
    WireCase(
      "admin.signOut", "POST /logout?scope=others", as: "Bearer secret-jwt",
      run: { try await $0.admin.signOut(jwt: "secret-jwt", scope: .others) }),
    WireCase(
      "admin.listUsers", "GET /admin/users?page=2&per_page=10", answer: #"{"users":[\#(Sample.user())],"aud":"a"}"#,
      run: { _ = try await $0.admin.listUsers(params: .init(page: 2, perPage: 10)) }),
    WireCase(
      "admin.listUsers from the beginning", "GET /admin/users", answer: #"{"users":[]}"#,
      run: { _ = try await $0.admin.listUsers() }),
    WireCase(
      "admin.generateLink", "POST /admin/generate_link?redirect_to=app:%2F%2Fback",
      body: #"{"type":"signup","email":"a@example.com","password":"secret-password","data":{"a":1}}"#,
      answer: Sample.user(
        more:
          #","action_link":"https://h/auth/v1/verify?token=secret-link","email_otp":"secret-otp","hashed_token":"secret-hash","redirect_to":"app://back","verification_type":"signup""#
      ),
      run: {
        _ = try await $0.admin.generateLink(
          params: .signUp(
            email: "a@example.com", password: "secret-password", data: ["a": 1], redirectTo: URL(string: "app://back")))
      }),
    WireCase(
      "admin.listPasskeys", "GET /admin/users/\(path)/passkeys", answer: "[]",
      run: { _ = try await $0.admin.listPasskeys(userId: id) }),
    WireCase(
      "admin.deletePasskey", "DELETE /admin/users/\(path)/passkeys/\(path)",
      run: { try await $0.admin.deletePasskey(userId: id, passkeyId: id) }),
    WireCase(
      "admin.mfa.listFactors", "GET /admin/users/\(path)/factors", answer: "[]",
      run: { _ = try await $0.admin.mfa.listFactors(forUser: id) }),
    WireCase(
      "admin.mfa.deleteFactor", "DELETE /admin/users/\(path)/factors/\(path)",
      run: { try await $0.admin.mfa.deleteFactor(id: id, forUser: id) }),
    WireCase(
      "admin.oauth.listClients", "GET /admin/oauth/clients?page=1", answer: #"{"clients":[\#(oauthClient)],"aud":""}"#,
      run: { _ = try await $0.admin.oauth.listClients(params: .init(page: 1)) }),
    WireCase(
      "admin.oauth.createClient", "POST /admin/oauth/clients",
      body: #"{"client_name":"n","redirect_uris":["app://x"],"grant_types":["authorization_code"]}"#,
      answer: oauthClient,
      run: {
        try await $0.admin.oauth.createClient(
          params: .init(clientName: "n", redirectUris: ["app://x"], grantTypes: [.authorizationCode]))
      }),
    WireCase(
      "admin.oauth.client", "GET /admin/oauth/clients/\(path)", answer: oauthClient,
      run: { _ = try await $0.admin.oauth.client(id: id) }),
    WireCase(
      "admin.oauth.updateClient", "PUT /admin/oauth/clients/\(path)", body: #"{"logo_uri":"https://l/"}"#,
      answer: oauthClient,
      run: { try await $0.admin.oauth.updateClient(id: id, params: .init(logoUri: "https://l/")) }),
    WireCase(
      "admin.oauth.deleteClient", "DELETE /admin/oauth/clients/\(path)",
      run: { try await $0.admin.oauth.deleteClient(id: id) }),
    WireCase(
      "admin.oauth.regenerateClientSecret", "POST /admin/oauth/clients/\(path)/regenerate_secret",
      answer: oauthClient, run: { try await $0.admin.oauth.regenerateClientSecret(id: id) }),
    WireCase(
      "admin.sso.listProviders", "GET /admin/sso/providers", answer: #"{"items":[{"id":"p","domains":[]}]}"#,
      run: { _ = try await $0.admin.sso.listProviders() }),
    WireCase(
      "admin.sso.provider", "GET /admin/sso/providers/p", answer: #"{"id":"p"}"#,
      run: { _ = try await $0.admin.sso.provider(id: "p") }),
    WireCase(
      "admin.sso.createProvider", "POST /admin/sso/providers",
      body: #"{"type":"saml","metadata_xml":"<x/>","domains":["example.com"]}"#, answer: #"{"id":"p"}"#,
      run: {
        try await $0.admin.sso.createProvider(attributes: .init(metadataXML: "<x/>", domains: ["example.com"]))
      }),
    WireCase(
      "admin.sso.updateProvider", "PUT /admin/sso/providers/p", body: #"{"metadata_url":"https://idp/"}"#,
      answer: #"{"id":"p"}"#,
      run: {
        try await $0.admin.sso.updateProvider(
          id: "p", attributes: .init(type: nil, metadataURL: URL(string: "https://idp/")))
      }),
    WireCase(
      "admin.sso.deleteProvider", "DELETE /admin/sso/providers/p",
      run: { try await $0.admin.sso.deleteProvider(id: "p") }),
    WireCase(
      "admin.customProviders.listProviders", "GET /admin/custom-providers", answer: "[]",
      run: { _ = try await $0.admin.customProviders.listProviders() }),
    WireCase(
      "admin.customProviders.provider", "GET /admin/custom-providers/p",
      run: { _ = try await $0.admin.customProviders.provider(id: "p") }),
    WireCase(
      "admin.customProviders.createProvider", "POST /admin/custom-providers",
      body: #"{"client_secret":"secret-client"}"#,
      run: { try await $0.admin.customProviders.createProvider(["client_secret": "secret-client"]) }),
    WireCase(
      "admin.customProviders.updateProvider", "PUT /admin/custom-providers/p", body: #"{"a":1}"#,
      run: { try await $0.admin.customProviders.updateProvider(id: "p", ["a": 1]) }),
    WireCase(
      "admin.customProviders.deleteProvider", "DELETE /admin/custom-providers/p",
      run: { try await $0.admin.customProviders.deleteProvider(id: "p") }),
  ]

  private static let redirect = #"{"redirect_url":"https://app.test/?code=secret-code"}"#

  static let others: [WireCase] = [
    WireCase(
      "oauthServer.getAuthorizationDetails", "GET /oauth/authorizations/a%3Fb", as: session,
      answer:
        #"{"authorization_id":"a","redirect_uri":"https://app.test/","client":{"id":"\#(path)","name":"n"},"user":{"id":"\#(path)"},"scope":"email"}"#,
      run: {
        guard case .details(let details) = try await $0.oauthServer.getAuthorizationDetails(authorizationId: "a?b"),
          details.client.name == "n", details.user.email == ""
        else { throw CancellationError() }
      }),
    WireCase(
      "oauthServer.getAuthorizationDetails that is granted", "GET /oauth/authorizations/a", as: session,
      answer: redirect,
      run: {
        guard case .redirect = try await $0.oauthServer.getAuthorizationDetails(authorizationId: "a") else {
          throw CancellationError()
        }
      }),
    WireCase(
      "oauthServer.approveAuthorization", "POST /oauth/authorizations/a/consent", as: session,
      body: #"{"action":"approve"}"#, answer: redirect,
      run: { _ = try await $0.oauthServer.approveAuthorization(authorizationId: "a") }),
    WireCase(
      "oauthServer.denyAuthorization", "POST /oauth/authorizations/a/consent", as: session,
      body: #"{"action":"deny"}"#, answer: redirect,
      run: { _ = try await $0.oauthServer.denyAuthorization(authorizationId: "a") }),
    WireCase(
      "oauthServer.listGrants", "GET /user/oauth/grants", as: session,
      answer:
        #"[{"client":{"id":"\#(path)","name":"n"},"scopes":["email"],"granted_at":"2026-01-01T00:00:00.123Z"}]"#,
      run: { _ = try await $0.oauthServer.listGrants() }),
    WireCase(
      "oauthServer.revokeGrant", "DELETE /user/oauth/grants?client_id=\(path)", as: session,
      run: { try await $0.oauthServer.revokeGrant(clientId: id) }),
    WireCase(
      "settings", "GET /settings",
      answer: #"{"external":{"email":true},"disable_signup":true,"sms_provider":"twilio"}"#,
      run: {
        let settings = try await $0.settings()
        guard settings.external["email"] == true, settings.disableSignup, !settings.samlEnabled else {
          throw CancellationError()
        }
      }),
    WireCase(
      "health", "GET /health", answer: #"{"version":"v2","name":"GoTrue","description":"d"}"#,
      run: { _ = try await $0.health() }),
  ]
}
