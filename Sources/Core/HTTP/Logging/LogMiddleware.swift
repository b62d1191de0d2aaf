/// Tells each exchange at `trace`: what was asked, what came back, how long its head took. Bodies are not told.
struct LogMiddleware: ClientMiddleware {
  let logger: ClientLogger

  func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody) {
    let target: [String: String] = [
      "method": request.method.rawValue,
      "url": "\(request.scheme ?? "http")://\(request.authority ?? "")\(request.path)",
    ]
    logger.log(.trace, "HTTP request", metadata: target.merging(Self.facts(request.headerFields)) { first, _ in first })
    let clock = ContinuousClock()
    let start = clock.now
    do {
      let (response, content) = try await next(request, body)
      var facts = target.merging(Self.facts(response.headerFields)) { first, _ in first }
      facts["status"] = "\(response.status.code)"
      facts["duration"] = "\(clock.now - start)"
      logger.log(.trace, "HTTP response", metadata: facts)
      return (response, content)
    } catch {
      var facts = target
      facts["duration"] = "\(clock.now - start)"
      facts["error"] = Self.kind(of: error)
      logger.log(.trace, "HTTP exchange failed", metadata: facts)
      throw error
    }
  }

  /// What an error may be called in a log: its kind and type, not its words, which others have written.
  static func kind(of error: any Error) -> String {
    (error as? HTTPError)?.kind.rawValue ?? "\(type(of: error))"
  }

  private static func facts(_ fields: HTTPFields) -> [String: String] {
    Dictionary(fields.map { ("header.\($0.name.canonicalName)", $0.value) }) { "\($0), \($1)" }
  }
}
