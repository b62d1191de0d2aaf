internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// A request as the client's members describe it.
struct AuthRequest: Sendable {
  let method: HTTPRequest.Method
  /// Behind the server's address, percent-encoded.
  let path: String
  var query: [(name: String, value: String)]
  var fields = HTTPFields()
  var body: [UInt8]?
  var isRetried = true

  /// - Parameters:
  ///   - segments: the path's, not encoded.
  ///   - query: those that have a value are sent.
  init(_ method: HTTPRequest.Method, _ segments: String..., query: KeyValuePairs<String, String?> = [:]) {
    self.init(method, path: segments, query: query)
  }

  init(_ method: HTTPRequest.Method, path: [String], query: KeyValuePairs<String, String?>) {
    self.method = method
    self.path = path.map(\.percentEncodedForPath).joined(separator: "/")
    self.query = query.compactMap { name, value in value.map { (name, $0) } }
  }

  /// The same request with a JSON object as its body.
  func json(_ members: JSONObject) throws(AuthError) -> AuthRequest { try json(JSONValue.object(members)) }

  /// The same request with a value in JSON as its body.
  func json(_ value: some Encodable) throws(AuthError) -> AuthRequest {
    var request = self
    do { request.body = Array(try AuthClient.Configuration.jsonEncoder.encode(value)) } catch {
      // Not the encoder's words, which may quote the value.
      throw AuthError(
        kind: .invalidRequest, message: "What was given cannot be turned into JSON; see underlyingError.",
        underlyingError: error)
    }
    return request
  }

  /// The same request on behalf of whoever has the token.
  func bearer(_ token: String) throws(AuthError) -> AuthRequest { try authorized(by: "Bearer \(token)") }

  /// The same request with that `Authorization`.
  func authorized(by credentials: String) throws(AuthError) -> AuthRequest {
    guard HTTPField.isValidValue(credentials) else {
      throw AuthError(kind: .invalidRequest, message: "The token has characters that no token has.")
    }
    var request = self
    request.fields[.authorization] = credentials
    return request
  }
}
