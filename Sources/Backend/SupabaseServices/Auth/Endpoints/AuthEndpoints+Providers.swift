internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

// Sign-in by OpenID providers.
extension AuthEndpoints {
  /// `GET /authorize`
  func authorize(_ call: AuthCall) async throws -> ServerResponse {
    let challenge = try PKCEChallenge(
      challenge: call.parameter("code_challenge"), method: call.parameter("code_challenge_method"))
    return try await begin(call, challenge: challenge, linkingUser: nil)
  }

  /// `GET /user/identities/authorize`
  func linkIdentity(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await caller(call).account
    try checkManualLinking()
    let challenge = try PKCEChallenge(
      challenge: call.parameter("code_challenge"), method: call.parameter("code_challenge_method"))
    return try await begin(call, challenge: challenge, linkingUser: account.id)
  }

  private func checkManualLinking() throws(AuthError) {
    guard configuration.allowsManualLinking else {
      throw AuthError(404, .manualLinkingDisabled, "Manual linking is disabled")
    }
  }

  private func provider(_ name: String?) throws(AuthError) -> (
    name: String, provider: OpenIDProvider, client: OpenIDClient
  ) {
    guard let name, let provider = configuration.providers[name], let providers else {
      throw .invalid("Unsupported provider: provider is not enabled")
    }
    return (name, provider, providers)
  }

  /// Sends the browser to the provider, with a flow to come back to.
  private func begin(_ call: AuthCall, challenge: PKCEChallenge?, linkingUser: String?) async throws -> ServerResponse {
    let (name, provider, client) = try provider(call.parameter("provider"))
    let metadata = try await client.metadata(provider)
    let flow = FlowStatements.New(
      challenge: challenge, provider: name, method: "oauth", referrer: redirects.target(redirect(call)),
      linkingUser: linkingUser)
    try await database.row(FlowStatements.begin(flow))
    var scopes = ["openid"] + provider.scopes
    let further = call.parameter("scopes")?.split { $0 == " " || $0 == "," }.map(String.init) ?? []
    for scope in further where !scopes.contains(scope) { scopes.append(scope) }
    let address = Self.address(
      metadata.authorizationEndpoint,
      query: [
        ("client_id", provider.clientID), ("redirect_uri", "\(externalURL)/callback"), ("response_type", "code"),
        ("scope", scopes.joined(separator: " ")), ("state", flow.id), ("nonce", nonce(of: flow.id)),
      ])
    if call.parameter("skip_http_redirect") == "true" {
      return .json(["url": .string(address), "provider": .string(name)])
    }
    return .redirect(to: address, status: 302)
  }

  /// What ties the ID token to the flow. Nobody else can make it, and nothing need be kept.
  private func nonce(of flow: String) -> String { seal.seal("nonce \(flow)") }

  /// `GET` and `POST /callback`: where the provider sends the browser back to.
  func callback(_ call: AuthCall) async throws -> ServerResponse {
    let form = call.request.head.method == .post ? call.form : nil
    func parameter(_ name: String) -> String? { call.parameter(name) ?? form?[name] }
    guard let state = parameter("state"), Self.isUUID(state),
      let row = try await database.row(FlowStatements.byID(state))
    else {
      let error = AuthError(400, .badOAuthState, "OAuth state parameter is missing or unknown")
      return .redirect(
        to: Self.address(configuration.siteURL, query: error.redirectParameters, fragment: error.redirectParameters))
    }
    let flow: FlowStatements.Begun = try row.decode(0)
    let target = flow.referrer ?? configuration.siteURL
    do {
      guard .seconds(flow.age) <= configuration.flowLifetime, flow.codeAge == nil else {
        throw AuthError(400, .badOAuthState, "OAuth state has expired")
      }
      if let error = parameter("error") {
        throw AuthError(403, .badOAuthCallback, parameter("error_description") ?? error)
      }
      guard let code = parameter("code") else {
        throw AuthError(400, .badOAuthCallback, "OAuth callback with missing authorization code missing")
      }
      let (name, provider, client) = try provider(flow.provider)
      let tokens = try await client.tokens(provider, code: code, redirectURI: "\(externalURL)/callback")
      guard let idToken = tokens.idToken else { throw AuthError.unexpected("The provider has sent no ID token") }
      let claims = try await client.claims(of: idToken, provider)
      guard provider.skipsNonceCheck || Secrets.equals(claims["nonce"]?.stringValue ?? "", nonce(of: flow.id)) else {
        throw AuthError(400, .badOAuthCallback, "The ID token belongs to another sign-in")
      }
      let identity = try ExternalIdentity(provider: name, claims: claims)
      let account = try await settle(identity, linkingUser: flow.linkingUser, call)
      return try await finish(flow, account, tokens, target, call)
    } catch let error as AuthError {
      let parameters = error.redirectParameters
      return .redirect(to: Self.address(target, query: parameters, fragment: parameters), status: 302)
    }
  }

  private func finish(
    _ flow: FlowStatements.Begun, _ account: Account, _ tokens: OpenIDClient.Tokens, _ target: String, _ call: AuthCall
  ) async throws -> ServerResponse {
    let over = AuthError(400, .badOAuthState, "OAuth state has been used")
    if flow.challenge != nil {
      let code = try await database.row(
        FlowStatements.giveOutCode(
          flow.id, user: account.id, providerToken: tokens.accessToken, providerRefreshToken: tokens.refreshToken))
      guard let text = code?.text(0) else { throw over }
      return .redirect(to: Self.address(target, query: [("code", text)]), status: 302)
    }
    guard try await database.row(FlowStatements.end(flow.id)) != nil else { throw over }
    let session = newSession("oauth", call)
    let opened = try await grant(
      session,
      SessionStatements.open(
        session, for: account.id,
        audit: audit(.login, by: account, call, traits: ["provider": .string(flow.provider)])))
    guard var grant = opened else { throw AuthError.unexpected("The session could not be opened") }
    grant.providerToken = tokens.accessToken
    grant.providerRefreshToken = tokens.refreshToken
    return .redirect(to: try redirectAddress(grant, to: target, kind: "oauth"), status: 302)
  }

  /// Finds or makes the user of an identity.
  private func settle(_ identity: ExternalIdentity, linkingUser: String?, _ call: AuthCall) async throws -> Account {
    let owner = try await database.row(
      IdentityStatements.owner(provider: identity.provider, subject: identity.subject))?.text(0)
    var addressOwner: (id: String, isConfirmed: Bool)?
    if let email = identity.email, let other: Account = try await database.row(UserStatements.byEmail(email))?.decode(0)
    {
      addressOwner = (other.id, other.isEmailConfirmed)
    }
    switch identity.decision(owner: owner, addressOwner: addressOwner, linkingUser: linkingUser) {
    case .refuse(let error): throw error
    case .signIn(let user):
      let row = try await database.row(
        IdentityStatements.refresh(identity, of: user), UserStatements.byID(user))
      return try checked(row)
    case .link(let user, let takesOver):
      var statements = takesOver ? IdentityStatements.takeOver(user) : []
      statements += [
        IdentityStatements.link(identity, to: user), UserStatements.setProviders(user),
        UserStatements.update(
          user, .init(userMetadata: identity.data), cost: configuration.passwordCost,
          crypto: try await database.crypto(),
          audit: AuditEntry(
            action: .identityLinked, actorID: user, actorName: identity.email ?? "",
            traits: ["provider": .string(identity.provider)], address: call.address)),
        // With an address of its own an anonymous user is one no longer.
        """
        UPDATE auth.users SET is_anonymous = false, email = coalesce(email, \(identity.email)::text),
          email_confirmed_at = CASE WHEN email IS NULL AND \(identity.isEmailVerified)::bool THEN now()
            ELSE email_confirmed_at END
        WHERE id = \(user)::uuid AND is_anonymous
        """, UserStatements.byID(user),
      ]
      return try checked(await database.row(statements))
    case .create:
      guard configuration.allowsSignUp else { throw AuthError.signUpDisabled }
      guard identity.email == nil || identity.isEmailVerified || configuration.confirmsEmailAtOnce else {
        throw AuthError(
          403, .providerEmailNeedsVerification,
          "Unverified email with \(identity.provider). Verify the email with \(identity.provider) in order to sign in")
      }
      return try await insert(
        newUser(identity),
        AuditEntry(
          action: .userSignedUp, actorID: identity.subject, actorName: identity.email ?? "",
          traits: ["provider": .string(identity.provider)], address: call.address))
    }
  }

  private func newUser(_ identity: ExternalIdentity) -> UserStatements.New {
    var user = UserStatements.New(
      audience: configuration.audience, role: configuration.role, email: identity.email,
      appMetadata: ["provider": .string(identity.provider), "providers": [.string(identity.provider)]],
      userMetadata: identity.data)
    user.isEmailConfirmed = identity.email != nil
    user.identities = [
      [
        "provider": .string(identity.provider), "provider_id": .string(identity.subject), "data": identity.data,
      ]
    ]
    return user
  }

  private func checked(_ row: AuthDatabase.Row?) throws -> Account {
    guard let account: Account = try row?.decode(0) else { throw AuthError.userNotFound }
    guard !account.isBanned else { throw AuthError(403, .userBanned, "User is banned") }
    return account
  }

  private struct IDTokenRequest: Decodable {
    var provider: String?
    var idToken: String?
    var nonce: String?
    var linkIdentity: Bool?

    enum CodingKeys: String, CodingKey {
      case provider, nonce
      case idToken = "id_token"
      case linkIdentity = "link_identity"
    }
  }

  /// `POST /token?grant_type=id_token`
  func signInWithIDToken(_ call: AuthCall) async throws -> ServerResponse {
    try limiter.take(.signIns(address: limited(call)))
    let wanted = try call.decode(IDTokenRequest.self)
    guard let idToken = wanted.idToken, !idToken.isEmpty else { throw AuthError.invalid("id_token required") }
    guard wanted.provider?.isEmpty == false else {
      throw AuthError.invalid("provider or client_id and issuer required")
    }
    let (name, provider, client) = try provider(wanted.provider)
    let linkingUser = wanted.linkIdentity == true ? try await caller(call).account.id : nil
    if linkingUser != nil { try checkManualLinking() }
    let claims = try await client.claims(of: idToken, provider)
    if !provider.skipsNonceCheck {
      let (claimed, given) = (claims["nonce"]?.stringValue ?? "", wanted.nonce ?? "")
      guard claimed.isEmpty == given.isEmpty else {
        throw AuthError.invalid("Passed nonce and nonce in id_token should either both exist or not.")
      }
      guard given.isEmpty || Secrets.equals(Secrets.hash(given), claimed) else {
        throw AuthError.invalid("Nonces mismatch")
      }
    }
    let account = try await settle(try ExternalIdentity(provider: name, claims: claims), linkingUser: linkingUser, call)
    let session = newSession("oauth", call)
    return try respond(
      await grant(
        session,
        SessionStatements.open(
          session, for: account.id, audit: audit(.login, by: account, call, traits: ["provider": .string(name)]))))
  }

  /// `DELETE /user/identities/{identity_id}`
  func unlinkIdentity(_ call: AuthCall) async throws -> ServerResponse {
    let account = try await caller(call).account
    try checkManualLinking()
    let id = try call.identifier("identity_id")
    guard let identity = account.identities.first(where: { $0.id == id }) else {
      throw AuthError(422, .identityNotFound, "Identity doesn't exist")
    }
    let row = try await database.row(
      IdentityStatements.unlink(
        id, of: account.id,
        audit: audit(
          .identityUnlinked, by: account, call,
          traits: ["identity_id": .string(id), "provider": .string(identity.provider)])))
    guard row != nil else {
      throw AuthError(
        422, .singleIdentityNotDeletable, "User must have at least 1 identity after unlinking")
    }
    try await database.row(UserStatements.setProviders(account.id))
    return .json([:])
  }
}
