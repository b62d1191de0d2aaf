internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres

extension AuthEndpoints {
  private typealias Endpoint = @Sendable (AuthCall) async throws -> ServerResponse

  /// All endpoints by method and path.
  var router: Router {
    var router = Router()
    router.errorResponse = { status, message in
      let code: AuthError.Code = status == .internalServerError ? .unexpectedFailure : .notFound
      return AuthError(status.code, code, message)
        .response(to: HTTPRequest(method: .get, scheme: "http", authority: "", path: "/"))
    }
    func on(_ method: HTTPRequest.Method, _ path: String, _ endpoint: @escaping Endpoint) {
      router.on(method, path) { request in try await Self.answer(request, endpoint) }
    }
    func admin(_ method: HTTPRequest.Method, _ path: String, _ endpoint: @escaping Endpoint) {
      on(method, path) { call in
        try requireAdministrator(call)
        return try await endpoint(call)
      }
    }
    on(.get, "/health", health)
    on(.get, "/settings", settings)
    on(.get, "/.well-known/jwks.json", publicKeys)
    on(.post, "/signup", signUp)
    on(.post, "/token", token)
    on(.post, "/otp", sendCode)
    on(.post, "/magiclink", sendMagicLink)
    on(.post, "/recover", recover)
    on(.post, "/resend", resend)
    on(.post, "/verify", verify)
    on(.get, "/verify", followLink)
    on(.get, "/reauthenticate", reauthenticate)
    on(.get, "/user", user)
    on(.put, "/user", updateUser)
    on(.post, "/logout", signOut)
    on(.get, "/user/identities/authorize", linkIdentity)
    on(.delete, "/user/identities/{identity_id}", unlinkIdentity)
    on(.get, "/authorize", authorize)
    on(.get, "/callback", callback)
    on(.post, "/callback", callback)
    on(.post, "/factors", enroll)
    on(.post, "/factors/{factor_id}/challenge", challenge)
    on(.post, "/factors/{factor_id}/verify", verifyFactor)
    on(.delete, "/factors/{factor_id}", unenroll)

    admin(.post, "/invite", invite)
    admin(.post, "/admin/invite", invite)
    admin(.get, "/admin/users", listUsers)
    admin(.post, "/admin/users", createUser)
    admin(.get, "/admin/users/{user_id}", userByID)
    admin(.put, "/admin/users/{user_id}", updateUserByID)
    admin(.delete, "/admin/users/{user_id}", deleteUser)
    admin(.get, "/admin/users/{user_id}/factors", listFactors)
    admin(.put, "/admin/users/{user_id}/factors/{factor_id}", updateFactor)
    admin(.delete, "/admin/users/{user_id}/factors/{factor_id}", deleteFactor)
    admin(.post, "/admin/generate_link", generateLink)
    admin(.get, "/admin/audit", auditLog)

    // What a GoTrue says that has these switched off.
    on(.post, "/sso") { _ in throw Self.samlDisabled }
    on(.get, "/sso/saml/metadata") { _ in throw Self.samlDisabled }
    on(.post, "/sso/saml/acs") { _ in throw Self.samlDisabled }
    admin(.get, "/admin/sso/providers") { _ in .json(["items": []]) }
    return router
  }

  private static let samlDisabled = AuthError(404, .samlProviderDisabled, "SAML 2.0 is disabled")

  /// Reads a request, has it answered, and words what goes wrong.
  private static func answer(_ request: ServerRequest, _ endpoint: Endpoint) async throws -> ServerResponse {
    do {
      return try await endpoint(try await AuthCall(request))
    } catch let error as AuthError {
      return error.response(to: request.head)
    } catch let error as PostgresError {
      return AuthError(error).response(to: request.head)
    }
  }
}
