internal import SwiftwaterHTTP

/// Routes as a tree in which each segment of a path is one step.
///
/// There is no way back in the tree: a branch for a literal also holds every route whose parameter or rest would take
/// that literal.
struct RouteTable: Sendable {
  /// The routes that match one path, each method's best.
  struct Offers: Sendable {
    private var routes: [(method: HTTPRequest.Method, route: Route)] = []
    private var any: Route?
    /// The methods for the `Allow` field.
    private(set) var allow = ""

    fileprivate init() {}

    fileprivate init(_ matching: [Route]) {
      for route in matching {
        guard let method = route.method else {
          any = any ?? route
          continue
        }
        if !routes.contains(where: { $0.method == method }) { routes.append((method, route)) }
      }
      var methods = routes.map(\.method)
      if methods.contains(.get), !methods.contains(.head) { methods.append(.head) }
      if !methods.contains(.options) { methods.append(.options) }
      allow = methods.map(\.rawValue).sorted().joined(separator: ", ")
    }

    var isEmpty: Bool { routes.isEmpty && any == nil }

    func route(for method: HTTPRequest.Method) -> Route? {
      for offer in routes where offer.method == method { return offer.route }
      if method == .head, let get = routes.first(where: { $0.method == .get }) { return get.route }
      return any
    }
  }

  private struct Node: Sendable {
    var literals: [Substring: Int] = [:]
    var parameter: Int?
    /// For a path that ends here.
    var ending = Offers()
    /// For a path that goes on where no branch leads.
    var rest = Offers()
  }

  private var nodes: [Node] = []
  /// The methods of all paths.
  private let allow: String

  init(_ routes: [Route]) {
    allow = Offers(routes).allow
    _ = grow(routes.sorted { $0.pattern.precedes($1.pattern) }, depth: 0)
  }

  /// The handler for a request, which is told how it has met its route; nil where the table itself answers.
  @inline(never)
  func route(_ request: inout ServerRequest) -> HTTPServer.Handler? {
    guard request.head.path != "*", let route = offers(at: request.head.path).route(for: request.head.method) else {
      return nil
    }
    request.route = MatchedRoute(pattern: route.pattern, target: request.head.path)
    return route.handler
  }

  /// The answer to a request that has no route.
  func answer(_ head: HTTPRequest, errorResponse: HTTPServer.ErrorResponse) -> ServerResponse {
    // The target of an OPTIONS that asks about the whole server (RFC 9110 §9.3.7).
    if head.path == "*" { return ServerResponse(status: .noContent, headerFields: [.allow: allow]) }
    let offered = offers(at: head.path)
    if offered.isEmpty { return errorResponse(.notFound, "Nothing is served at this path.") }
    var response =
      head.method == .options
      ? ServerResponse(status: .noContent)
      : errorResponse(.methodNotAllowed, "This path does not take \(head.method).")
    response.head.headerFields[.allow] = offered.allow
    return response
  }

  /// What is served at a target.
  private func offers(at target: String) -> Offers {
    var segments = PathSegments(target)
    var node = nodes[0]
    while let segment = segments.next() {
      guard let next = node.literals[segment] ?? (segment.isEmpty ? nil : node.parameter) else { return node.rest }
      node = nodes[next]
    }
    return node.ending
  }

  /// Adds the node that these routes, the preferred first, have in common after so many segments.
  private mutating func grow(_ routes: [Route], depth: Int) -> Int {
    let index = nodes.count
    nodes.append(Node())
    func isRest(_ route: Route) -> Bool { route.pattern.restStart.map { $0 <= depth } ?? false }
    var node = Node()
    node.ending = Offers(routes.filter { $0.pattern.segments.count == depth || isRest($0) })
    node.rest = Offers(routes.filter(isRest))
    for route in routes {
      guard depth < route.pattern.segments.count, case .literal(let literal) = route.pattern.segments[depth],
        node.literals[literal] == nil
      else { continue }
      let taking = routes.filter { other in
        if isRest(other) { return true }
        guard depth < other.pattern.segments.count else { return false }
        return switch other.pattern.segments[depth] {
        case .literal(let text): text == literal
        case .parameter: !literal.isEmpty
        case .rest: true
        }
      }
      node.literals[literal] = grow(taking, depth: depth + 1)
    }
    let taking = routes.filter { other in
      if isRest(other) { return true }
      guard depth < other.pattern.segments.count, case .parameter = other.pattern.segments[depth] else { return false }
      return true
    }
    if taking.contains(where: { !isRest($0) }) { node.parameter = grow(taking, depth: depth + 1) }
    nodes[index] = node
    return index
  }
}
