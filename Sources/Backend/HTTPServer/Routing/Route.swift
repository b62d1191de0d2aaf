internal import SwiftwaterHTTP

/// A handler and what it is for.
struct Route: Sendable {
  /// Nil for any.
  let method: HTTPRequest.Method?
  let pattern: RoutePattern
  let handler: HTTPServer.Handler
}

/// How a request has met its route, for its parameters.
struct MatchedRoute: Sendable {
  let pattern: RoutePattern
  /// The target that was matched; a wrapper may give the handler another one.
  let target: String

  /// What stands in the target for a parameter, percent-encoded; nil if the pattern has none of that name.
  func value(of name: String) -> Substring? {
    var segments = PathSegments(target)
    for expected in pattern.segments {
      switch expected {
      case .rest(let rest): return rest == name ? segments.rest : nil
      case .parameter(name): return segments.next()
      case .parameter, .literal: _ = segments.next()
      }
    }
    return nil
  }
}
