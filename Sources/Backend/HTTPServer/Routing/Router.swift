public import SwiftwaterHTTP

/// A table of handlers by method and path.
///
/// ```swift
/// var router = Router()
/// router.get("/rest/v1/{table}") { request in
///   ServerResponse(status: .ok, body: HTTPBody(try request.parameter("table")))
/// }
/// let server = HTTPServer(handler: router.handler)
/// ```
///
/// A pattern is a path of segments as they stand on the wire, percent-encoding included: literals, `{name}` for one
/// segment that is not empty, and last `{name...}` for all that follow, also none. `/files` and `/files/` are different
/// paths, and both match `/files/{path...}`. The query takes no part.
///
/// Of several patterns that match, the first difference from the left decides: a literal beats a parameter, a parameter
/// beats a rest. That is decided for each method by itself, so a special route for one method hides nothing from the
/// others. A lookup takes as many steps as the path has segments, whatever the number of routes.
///
/// `HEAD` is answered by the route for `GET`, `OPTIONS` by a list of the methods, unless a route names them. A path
/// without a route is answered with 404, a method without one with 405; both lists stand in `Allow`.
public struct Router: Sendable {
  /// Makes a handler from a handler: looks at the request before, at the response behind it, or answers in its place.
  public typealias Wrapper = @Sendable (_ handler: @escaping HTTPServer.Handler) -> HTTPServer.Handler

  private var routes: [Route] = []
  /// Makes the answers that no route gives, 404 and 405.
  public var errorResponse: HTTPServer.ErrorResponse = { ServerResponse.failure($0, message: $1) }

  /// A table without routes.
  public init() {}

  /// Adds a route.
  ///
  /// - Precondition: the pattern begins with a slash, its braces close, a rest is its last segment, and there is no
  ///   route yet for the method and a pattern that differs in names at most.
  public mutating func on(
    _ method: HTTPRequest.Method, _ pattern: String, _ handler: @escaping HTTPServer.Handler
  ) {
    add(Route(method: method, pattern: RoutePattern(pattern), handler: handler))
  }

  /// Adds a route for all methods that have none on a pattern that matches, `HEAD` and `OPTIONS` included.
  ///
  /// - Precondition: as for `on(_:_:_:)`.
  public mutating func any(_ pattern: String, _ handler: @escaping HTTPServer.Handler) {
    add(Route(method: nil, pattern: RoutePattern(pattern), handler: handler))
  }

  /// Adds the routes that `routes` adds, below a prefix.
  ///
  /// - Parameters:
  ///   - prefix: a pattern without a rest, which does not end with a slash.
  ///   - wrappers: what stands around each of these routes' handlers, the outermost first. The answers that the table
  ///     itself gives (404, 405, `OPTIONS`) are outside; wrap `handler` to see those too.
  ///   - routes: adds routes to the group.
  public mutating func group(_ prefix: String, wrappedBy wrappers: [Wrapper] = [], routes: (inout Router) -> Void) {
    let prefix = RoutePattern(prefix)
    var group = Router()
    routes(&group)
    for route in group.routes {
      let handler = wrappers.reversed().reduce(route.handler) { handler, wrapper in wrapper(handler) }
      add(Route(method: route.method, pattern: prefix + route.pattern, handler: handler))
    }
  }

  /// The table as one handler, with the routes that have been added so far. Make it once.
  public var handler: HTTPServer.Handler {
    let table = RouteTable(routes)
    let errorResponse = errorResponse
    return { request in
      var request = request
      guard let handler = table.route(&request) else {
        return table.answer(request.head, errorResponse: errorResponse)
      }
      return try await handler(request)
    }
  }

  private mutating func add(_ route: Route) {
    precondition(
      !routes.contains { $0.method == route.method && $0.pattern.matchesSamePaths(as: route.pattern) },
      "There is a route for \(route.method?.rawValue ?? "any method") \(route.pattern) already.")
    routes.append(route)
  }
}

extension Router {
  /// Adds a route for `GET`, which answers `HEAD` too.
  public mutating func get(_ pattern: String, _ handler: @escaping HTTPServer.Handler) { on(.get, pattern, handler) }

  /// Adds a route for `POST`.
  public mutating func post(_ pattern: String, _ handler: @escaping HTTPServer.Handler) { on(.post, pattern, handler) }

  /// Adds a route for `PUT`.
  public mutating func put(_ pattern: String, _ handler: @escaping HTTPServer.Handler) { on(.put, pattern, handler) }

  /// Adds a route for `PATCH`.
  public mutating func patch(_ pattern: String, _ handler: @escaping HTTPServer.Handler) {
    on(.patch, pattern, handler)
  }

  /// Adds a route for `DELETE`.
  public mutating func delete(_ pattern: String, _ handler: @escaping HTTPServer.Handler) {
    on(.delete, pattern, handler)
  }
}
