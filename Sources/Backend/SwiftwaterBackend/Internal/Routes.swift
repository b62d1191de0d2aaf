internal import SupabaseServices
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

/// Which service answers which path.
enum Routes {
  /// A service, which answers its path and all that is below it. Nothing else is answered.
  enum Service: String, CaseIterable {
    case rest = "/rest/v1"
  }

  /// - Parameter isGuarded: whether strangers' pages are refused, since everybody knows the keys.
  static func respond(to request: ServerRequest, rest: RESTService, isGuarded: Bool) async throws -> ServerResponse {
    if isGuarded, let refusal = DevelopmentGuard.refusal(of: request.head) { return refusal }
    switch match(request.head.path) {
    case (.rest, let target)?: return try await rest.respond(to: request, target: target)
    case nil:
      return ServerResponse(
        status: .notFound, headerFields: [.contentType: "application/json; charset=utf-8"],
        body: HTTPBody(#"{"code":"404","message":"No service answers this path. Tables are served below /rest/v1."}"#))
    }
  }

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
