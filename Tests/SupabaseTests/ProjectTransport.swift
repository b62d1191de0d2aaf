import FoundationEssentials
import Supabase
import SwiftwaterStreams
import SwiftwaterTokens

/// A project in memory: its Auth issues sessions, its tables are empty.
final class ProjectTransport: ClientTransport {
  let requests = LockIsolated<[HTTPRequest]>([])
  /// Whether Auth refuses to renew, as a server does that is down.
  let isDown = LockIsolated(false)

  static let secret = "super-secret-jwt-token-with-at-least-32-characters-long"

  static func key(_ role: String) -> String { JSONWebToken.sign(claims: #"{"role":"\#(role)"}"#, secret: secret) }

  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    requests.withLock { $0.append(request) }
    guard request.path.contains("/auth/v1/token") else { return (HTTPResponse(status: .ok), HTTPBody("[]")) }
    guard !isDown.value else { return (HTTPResponse(status: .serviceUnavailable), HTTPBody("<html>down</html>")) }
    let number = requests.withLock { $0.count }
    let token = JSONWebToken.sign(claims: #"{"role":"authenticated","n":\#(number)}"#, secret: Self.secret)
    let session = #"""
      {"access_token":"\#(token)","token_type":"bearer","expires_in":3600,"refresh_token":"r\#(number)",
      "user":{"id":"8c3b4f0e-5a53-4f6c-9f0e-0d6d8f1c2a11","aud":"authenticated","role":"authenticated",
      "email":"ada@example.com","app_metadata":{},"user_metadata":{},"created_at":"2026-01-01T00:00:00Z",
      "updated_at":"2026-01-01T00:00:00Z"}}
      """#
    return (HTTPResponse(status: .ok), HTTPBody(session))
  }

  var last: HTTPRequest? { requests.withLock { $0.last } }
  /// What the last request was authorized by.
  var lastAuthorization: String? { last?.headerFields[.authorization] }
}

/// A middleware that leaves its name in the requests that pass it.
struct Passing: ClientMiddleware {
  let name: String

  func intercept(_ request: HTTPRequest, body: HTTPBody?, next: Next) async throws -> (HTTPResponse, HTTPBody) {
    var request = request
    let field = HTTPField.Name.via
    request.headerFields[field] = (request.headerFields[field].map { "\($0),\(name)" }) ?? name
    return try await next(request, body)
  }
}

extension HTTPField.Name {
  static var via: HTTPField.Name { HTTPField.Name("Via") ?? .accept }
}

/// A storage that tells whether anything was ever written.
final class WatchedStorage: AuthLocalStorage {
  let values = LockIsolated<[String: Data]>([:])
  let writes = LockIsolated(0)

  func store(key: String, value: Data) {
    writes.withLock { $0 += 1 }
    values.withLock { $0[key] = value }
  }

  func retrieve(key: String) -> Data? { values.withLock { $0[key] } }
  func remove(key: String) { values.withLock { $0[key] = nil } }
}
