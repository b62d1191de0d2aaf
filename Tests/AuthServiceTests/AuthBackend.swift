import FoundationEssentials
import PostgresTestSupport
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterPostgres
import SwiftwaterTokens
import Testing

/// A backend in development mode on a fresh database of the shared cluster.
struct AuthBackend {
  let backend: LocalBackend

  /// Starts a backend, runs the SQL in it, calls `body` and puts everything away.
  static func with(
    _ sql: String = "", configure: (inout LocalBackend.Configuration) -> Void = { _ in },
    _ body: (AuthBackend) async throws -> Void
  ) async throws {
    try await SharedCluster.withDatabase { url in
      try await with(database: url, sql, configure: configure, body)
    }
  }

  /// The same on a given database.
  static func with(
    database url: String, _ sql: String = "", configure: (inout LocalBackend.Configuration) -> Void = { _ in },
    _ body: (AuthBackend) async throws -> Void
  ) async throws {
    var configuration = LocalBackend.Configuration(storage: .database(url), preparesDatabase: true)
    configuration.isDevelopment = true
    // The cheapest that bcrypt has.
    configuration.auth.passwordCost = 4
    configure(&configuration)
    try await LocalBackend.with(configuration) { backend async throws in
      if !sql.isEmpty { try await backend.execute(sql) }
      try await body(AuthBackend(backend: backend))
    }
  }

  struct Answer {
    var status: Int
    var fields: HTTPFields
    var text: String
    var json: JSONValue { (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) ?? .null }
    /// What clients decide by.
    var code: String? { fields[.init("x-sb-error-code") ?? .accept] }
    subscript(name: String) -> JSONValue? { json[name] }

    private static func decoded(_ text: Substring) -> String {
      var bytes: [UInt8] = []
      var rest = text.utf8[...]
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%"), let value = UInt8(String(Substring(rest.prefix(2))), radix: 16) else {
          bytes.append(byte)
          continue
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// A parameter behind `?` or `#` of the address that the answer leads to.
    func parameter(_ name: String, behind separator: Character) -> String? {
      let parts = (fields[.location] ?? "").split(separator: separator, maxSplits: 1)
      guard parts.count == 2 else { return nil }
      let text = separator == "?" ? parts[1].prefix { $0 != "#" } : parts[1]
      return text.split(separator: "&").first { $0.hasPrefix(name + "=") }
        .map { Self.decoded($0.dropFirst(name.count + 1)) }
    }
  }

  // Redirects are what is looked at.
  private static let transport: CurlTransport = {
    var configuration = CurlTransport.Configuration()
    configuration.redirects = .none
    return CurlTransport(configuration: configuration)
  }()

  /// Sends a request to a path of Auth's, or to an address.
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, token: String? = nil,
    _ fields: HTTPFields = [:]
  ) async throws -> Answer {
    try await send(method, path, text: body?.description, token: token, fields)
  }

  /// Sends a body as it is.
  func send(
    _ method: HTTPRequest.Method, _ path: String, text: String?, token: String? = nil, _ fields: HTTPFields = [:]
  ) async throws -> Answer {
    let url = try #require(
      URL(string: path.hasPrefix("http") ? path : backend.authURL.absoluteString + path))
    var request = try HTTPRequest(method: method, url: url, headerFields: fields)
    if let token { request.headerFields[.authorization] = "Bearer \(token)" }
    if text != nil, request.headerFields[.contentType] == nil {
      request.headerFields[.contentType] = "application/json"
    }
    let (response, content) = try await Self.transport.send(request, body: text.map { HTTPBody($0) })
    return Answer(
      status: response.status.code, fields: response.headerFields,
      text: String(decoding: try await content.collect(upTo: .max), as: UTF8.self))
  }

  func post(_ path: String, _ body: JSONValue, token: String? = nil) async throws -> Answer {
    try await send(.post, path, body, token: token)
  }

  func admin(_ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
    try await send(method, path, body, token: backend.serviceRoleKey)
  }

  /// The newest message to a recipient.
  func message(to recipient: String, _ kind: AuthMessage.Kind? = nil) throws -> AuthMessage {
    try #require(backend.inbox.first { $0.recipient == recipient && (kind == nil || $0.kind == kind) })
  }

  /// A session as a client has it.
  struct Session {
    var access: String
    var refresh: String
    var user: JSONValue
    var id: String { user["id"]?.stringValue ?? "" }
    /// What the access token claims.
    var claims: JSONValue { (try? JSONWebToken.unverified(access).values) ?? .null }
  }

  func session(_ answer: Answer) throws -> Session {
    try #require(answer.status == 200, "\(answer.text)")
    return Session(
      access: try #require(answer["access_token"]?.stringValue),
      refresh: try #require(answer["refresh_token"]?.stringValue),
      user: try #require(answer["user"]))
  }

  static let password = "correct horse"

  /// Makes a confirmed user.
  @discardableResult
  func createUser(_ email: String, password: String = password) async throws -> String {
    let answer = try await admin(
      .post, "/admin/users",
      ["email": .string(email), "password": .string(password), "email_confirm": true])
    try #require(answer.status == 200, "\(answer.text)")
    return try #require(answer["id"]?.stringValue)
  }

  func signIn(_ email: String, password: String = password) async throws -> Session {
    try session(
      try await post("/token?grant_type=password", ["email": .string(email), "password": .string(password)]))
  }

  /// Makes a confirmed user and signs in.
  func newSession(_ email: String) async throws -> Session {
    try await createUser(email)
    return try await signIn(email)
  }

  func refresh(_ token: String) async throws -> Answer {
    try await post("/token?grant_type=refresh_token", ["refresh_token": .string(token)])
  }

  /// The first column of a query's rows.
  func rows(_ sql: String) async throws -> [String] {
    let pool = try PostgresPool(backend.databaseConnection)
    let result = try await pool.query(PostgresStatement(sql))
    await pool.close()
    return (0..<result.rowCount).map { result.string(row: $0, column: 0) ?? "null" }
  }
}
