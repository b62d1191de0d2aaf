internal import SupabaseServices
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

/// Which service answers which path.
enum Routes {
  private static let restPrefix = "/rest/v1"

  /// - Parameter isGuarded: whether strangers' pages are refused, since everybody knows the keys.
  static func respond(to request: ServerRequest, rest: RESTService, isGuarded: Bool) async throws -> ServerResponse {
    if isGuarded, let refusal = DevelopmentGuard.refusal(of: request.head) { return refusal }
    let target = request.head.path
    if target.hasPrefix(restPrefix) {
      let remainder = target.dropFirst(restPrefix.count)
      if remainder.isEmpty || remainder.hasPrefix("/") || remainder.hasPrefix("?") {
        return try await rest.respond(to: request, target: String(remainder))
      }
    }
    return ServerResponse(
      status: .notFound, headerFields: [.contentType: "application/json; charset=utf-8"],
      body: HTTPBody(#"{"code":"404","message":"No service answers this path. Tables are served below /rest/v1."}"#))
  }
}
