internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

extension AuthEndpoints {
  /// One endpoint.
  struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    let path: String
    /// Whether only an administrator's token opens it.
    let isForAdministrators: Bool
    let answer: @Sendable (AuthCall) async throws -> ServerResponse

    fileprivate init(
      _ method: HTTPRequest.Method, _ path: String, isForAdministrators: Bool = false,
      _ answer: @escaping @Sendable (AuthCall) async throws -> ServerResponse
    ) {
      (self.method, self.path, self.isForAdministrators, self.answer) = (method, path, isForAdministrators, answer)
    }

    fileprivate static func admin(
      _ method: HTTPRequest.Method, _ path: String,
      _ answer: @escaping @Sendable (AuthCall) async throws -> ServerResponse
    ) -> Endpoint { Endpoint(method, path, isForAdministrators: true, answer) }
  }

  /// All endpoints.
  var all: [Endpoint] {
    [
      Endpoint(.get, "/health", health),
      Endpoint(.get, "/settings", settings),
      Endpoint(.get, "/.well-known/jwks.json", publicKeys),
      Endpoint(.post, "/signup", signUp),
      Endpoint(.post, "/token", token),
      Endpoint(.post, "/otp", sendCode),
      Endpoint(.post, "/magiclink", sendMagicLink),
      Endpoint(.post, "/recover", recover),
      Endpoint(.post, "/resend", resend),
      Endpoint(.post, "/verify", verify),
      Endpoint(.get, "/verify", followLink),
      // Whoever looks what is behind a link must not use it up.
      Endpoint(.head, "/verify") { _ in throw AuthError(405, .validationFailed, "Links are followed by GET") },
      Endpoint(.get, "/reauthenticate", reauthenticate),
      Endpoint(.get, "/user", user),
      Endpoint(.put, "/user", updateUser),
      Endpoint(.post, "/logout", signOut),
      Endpoint(.get, "/user/identities/authorize", linkIdentity),
      Endpoint(.delete, "/user/identities/{identity_id}", unlinkIdentity),
      Endpoint(.get, "/authorize", authorize),
      Endpoint(.get, "/callback", callback),
      Endpoint(.post, "/callback", callback),
      Endpoint(.head, "/callback") { _ in throw AuthError(405, .validationFailed, "Links are followed by GET") },
      Endpoint(.post, "/factors", enroll),
      Endpoint(.post, "/factors/{factor_id}/challenge", challenge),
      Endpoint(.post, "/factors/{factor_id}/verify", verifyFactor),
      Endpoint(.delete, "/factors/{factor_id}", unenroll),
      .admin(.post, "/invite", invite),
      .admin(.post, "/admin/invite", invite),
      .admin(.get, "/admin/users", listUsers),
      .admin(.post, "/admin/users", createUser),
      .admin(.get, "/admin/users/{user_id}", userByID),
      .admin(.put, "/admin/users/{user_id}", updateUserByID),
      .admin(.delete, "/admin/users/{user_id}", deleteUser),
      .admin(.get, "/admin/users/{user_id}/factors", listFactors),
      .admin(.put, "/admin/users/{user_id}/factors/{factor_id}", updateFactor),
      .admin(.delete, "/admin/users/{user_id}/factors/{factor_id}", deleteFactor),
      .admin(.post, "/admin/generate_link", generateLink),
      .admin(.get, "/admin/audit", auditLog),
      // What a GoTrue says that has these switched off.
      Endpoint(.post, "/sso") { _ in throw Self.samlDisabled },
      Endpoint(.get, "/sso/saml/metadata") { _ in throw Self.samlDisabled },
      Endpoint(.post, "/sso/saml/acs") { _ in throw Self.samlDisabled },
      .admin(.get, "/admin/sso/providers") { _ in .json(["items": []]) },
    ]
  }

  private static let samlDisabled = AuthError(404, .samlProviderDisabled, "SAML 2.0 is disabled")

  /// The endpoints by method and path.
  var router: Router {
    var router = Router()
    router.errorResponse = { status, message in
      let code: AuthError.Code = status == .internalServerError ? .unexpectedFailure : .notFound
      return AuthError(status.code, code, message)
        .response(to: HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"))
    }
    for endpoint in all {
      router.on(endpoint.method, endpoint.path) { request in
        do {
          let call = try await AuthCall(request)
          if endpoint.isForAdministrators { try requireAdministrator(call) }
          guard call.isLarge else { return try await endpoint.answer(call) }
          // Elsewhere than on the caller's thread, which may be that of all connections.
          return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await endpoint.answer(call) }
        } catch let error as AuthError {
          return error.response(to: request.head)
        } catch let error as PostgresError {
          return AuthError(error).response(to: request.head)
        }
      }
    }
    return router
  }
}
