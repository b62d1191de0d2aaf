internal import SupabaseServices
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

/// Which service answers which path.
struct Routes: Sendable {
  /// A service, which answers its path and all that is below it. Nothing else is answered.
  enum Service: String, CaseIterable {
    case rest = "/rest/v1"
    case auth = "/auth/v1"
    case inbox = "/inbox"
  }

  let rest: RESTService
  let auth: AuthService
  /// Where users' messages are kept; nil where they go out, and nobody is shown them.
  let inbox: Inbox?
  /// Whether strangers' pages are refused, since everybody knows the keys.
  let isGuarded: Bool

  /// Answers all requests, and tells browsers which pages may read the answers.
  var handler: HTTPServer.Handler {
    let auth = AuthService.corsPolicy().wrap(respond)
    let others = RESTService.corsPolicy().wrap(respond)
    return { request in
      try await Self.match(request.head.path)?.service == .auth ? auth(request) : others(request)
    }
  }

  @Sendable
  private func respond(to request: ServerRequest) async throws -> ServerResponse {
    if isGuarded, let refusal = DevelopmentGuard.refusal(of: request.head) { return refusal }
    switch Self.match(request.head.path) {
    case (.rest, let target)?: return try await rest.respond(to: request, target: target)
    case (.auth, let target)?: return try await auth.respond(to: request, target: target)
    case (.inbox, let target)?:
      guard let inbox else { return Self.notFound }
      return InboxRoute.respond(to: request, target: target, inbox)
    case nil: return Self.notFound
    }
  }

  private static let notFound = ServerResponse(
    status: .notFound, headerFields: [.contentType: "application/json; charset=utf-8"],
    body: HTTPBody(
      #"{"code":"404","message":"No service answers this path. Tables are served below /rest/v1, users below /auth/v1."}"#
    ))

  /// The service of a path and what it is asked for: path and query without the prefix.
  static func match(_ path: String) -> (service: Service, target: String)? {
    for service in Service.allCases where path.hasPrefix(service.rawValue) {
      let remainder = path.dropFirst(service.rawValue.count)
      if remainder.isEmpty || remainder.hasPrefix("/") || remainder.hasPrefix("?") {
        return (service, String(remainder))
      }
    }
    return nil
  }
}
