internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// Sends requests to the auth server.
struct AuthAPI: Sendable {
  /// More is no answer that this module can use.
  private static let maximumBodySize = 64 << 20

  private let url: URL
  private let headers: HTTPFields
  private let retryEnabled: Bool
  private let http: HTTPClient

  init(_ configuration: AuthClient.Configuration) {
    url = configuration.url
    headers = configuration.headers
    retryEnabled = configuration.retryEnabled
    http = HTTPClient(
      configuration: configuration.http, retry: .auth, middlewares: [TraceContextMiddleware()],
      logger: configuration.logger, clock: configuration.clock)
  }

  /// Sends a request and returns what a successful answer holds.
  ///
  /// - Throws: `AuthError`, also for refusals; `CancellationError`.
  func send(_ request: AuthRequest) async throws -> (response: HTTPResponse, bytes: [UInt8]) {
    do {
      let (response, body) = try await http.send(try head(of: request), body: request.body.map { HTTPBody($0) })
      guard response.status.isSuccessful else {
        throw AuthError(try await HTTPErrorResponse(response, body: body))
      }
      return (response, try await body.collect(upTo: Self.maximumBodySize))
    } catch {
      try Task.checkCancellation()
      throw AuthError.wrap(error)
    }
  }

  /// Sends a request for its effect.
  func perform(_ request: AuthRequest) async throws { _ = try await send(request) }

  /// Sends a request and reads the answer.
  func value<Value: Decodable>(_ request: AuthRequest, as type: Value.Type = Value.self) async throws -> Value {
    let (response, bytes) = try await send(request)
    return try Self.decode(bytes, response)
  }

  static func decode<Value: Decodable>(_ bytes: [UInt8], _ response: HTTPResponse) throws -> Value {
    do {
      return try AuthClient.Configuration.jsonDecoder.decode(Value.self, from: Data(bytes))
    } catch {
      throw AuthError(decoding: Value.self, error, from: bytes, response)
    }
  }

  /// Renews a session.
  func refresh(_ refreshToken: String) async throws -> Session {
    try await value(
      AuthRequest(.post, "token", query: ["grant_type": "refresh_token"])
        .json(["refresh_token": .string(refreshToken)]))
  }

  /// The address of a path, for requests that a browser makes.
  func address(_ request: AuthRequest) throws -> URL {
    let head = try head(of: request)
    guard let url = head.url else {
      throw AuthError(kind: .invalidRequest, message: "The client's URL makes no address for a browser.")
    }
    return url
  }

  private func head(of request: AuthRequest) throws -> HTTPRequest {
    var defaults: HTTPFields = [.xClientInfo: ClientInfo.value, .xSupabaseAPIVersion: "2024-01-01"]
    if request.body != nil { defaults[.contentType] = "application/json" }
    let fields = request.fields.merging(defaults: headers).merging(defaults: defaults)
    var head: HTTPRequest
    do throws(HTTPError) {
      head = try HTTPRequest(method: request.method, url: url, headerFields: fields)
    } catch {
      throw AuthError(
        kind: .invalidRequest, message: "The client's URL needs a scheme and a host, as in https://host/auth/v1.",
        underlyingError: error)
    }
    var base = url.path(percentEncoded: true)
    while base.hasSuffix("/") { base.removeLast() }
    var target = "\(base)/\(request.path)"
    for (index, item) in request.query.enumerated() {
      target += "\(index == 0 ? "?" : "&")\(item.name.percentEncodedForQuery)=\(item.value.percentEncodedForQuery)"
    }
    head.path = target
    if !retryEnabled || !request.isRetried { head.retry = .never }
    return head
  }
}
