/// Stands in the chain before the transport: adds fields, answers by itself, tries again, observes.
public protocol ClientMiddleware: Sendable {
  /// The rest of the chain.
  typealias Next = @Sendable (HTTPRequest, HTTPBody?) async throws -> (HTTPResponse, HTTPBody)

  /// Handles the request, as a rule by calling `next` once with a changed copy.
  ///
  /// - Parameters:
  ///   - next: the rest of the chain. It may be called again only if the body's `iterationBehavior` is `.multiple`.
  func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody)
}
