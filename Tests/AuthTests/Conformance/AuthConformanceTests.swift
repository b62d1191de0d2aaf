import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Supabase's wire: Auth Conformance")
struct AuthConformanceTests {
  private static let folder = Conformance.folder + "/supabase-wire/auth"

  private static func names(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/\(folder)")) ?? []).sorted()
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(path)")), as: UTF8.self)
  }

  @Test(
    "The client sends what others have recorded (needs the outside cases; CONFORMANCE_DIR names their folder)",
    .enabled(if: !names("requests").isEmpty, "no supabase-wire/auth/requests in \(Conformance.folder)"))
  func requests() async throws {
    let names = Self.names("requests").filter { $0.hasSuffix(".txt") }
    var passed = 0
    for name in names {
      let expected = try CurlCommand(try Self.text("requests/\(name)"))
      guard let call = ConformanceCalls.named(String(name.split(separator: ".")[0])) else {
        Issue.record("\(name) is of no known member of the client")
        continue
      }
      let faults = try await Self.faults(of: call, expected)
      if faults.isEmpty { passed += 1 } else { Issue.record("\(name): \(faults.joined(separator: "; "))") }
    }
    print("supabase-wire auth: \(passed) of \(names.count) passed")
    #expect(passed == names.count)
  }

  /// In what the request of the member that is nearest to the expected one differs from that.
  private static func faults(of call: ConformanceCalls.Call, _ expected: CurlCommand) async throws -> [String] {
    let answers = try Answers()
    let server = FakeTransport { answers.reply(to: $0) }
    let storage = InMemoryLocalStorage()
    let stored = try JSONDecoder().decode(
      [String: JSONValue].self, from: Data(try text("responses/local-storage.json").utf8))
    for (key, value) in stored { storage.store(key: key, value: try JSONEncoder().encode(value)) }
    // A flow that was begun, for the codes of one.
    storage.store(
      key: "supabase.auth.token-code-verifier",
      value: Data((expected.body?["code_verifier"]?.stringValue ?? "verifier").utf8))
    let origin = expected.url.components(separatedBy: "/auth/v1")[0] + "/auth/v1"
    let client = AuthClient(
      configuration: .init(
        url: try #require(URL(string: origin)), headers: [.apikey: expected.headers["apikey"] ?? "dummy.api.key"],
        flowType: expected.query["grant_type"] == "pkce" ? .pkce : .implicit, localStorage: storage,
        http: .init(transport: server), autoRefreshToken: false, logger: .disabled),
      // When the stored session is still good for a minute.
      date: { Date(timeIntervalSince1970: 1_711_977_907 - 60) })
    try await call(ConformanceCall(client: client, request: expected))
    let differences = server.exchanges.map { Self.differences($0, expected) }
    return differences.min { $0.count < $1.count } ?? ["nothing was sent"]
  }

  private static func differences(_ exchange: FakeTransport.Exchange, _ expected: CurlCommand) -> [String] {
    let request = exchange.request
    var faults: [String] = []
    if request.method.rawValue != expected.method { faults.append("method \(request.method)") }
    let url = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path)"
    if String(url.split(separator: "?")[0]) != expected.path { faults.append("URL \(url)") }
    if CurlCommand.query(url) != expected.query { faults.append("query \(CurlCommand.query(url))") }
    var fields: [String: String] = [:]
    for field in request.headerFields { fields[field.name.canonicalName] = field.value }
    for name in Set(fields.keys).union(expected.headers.keys) where name != "x-client-info" {
      if fields[name] != expected.headers[name] { faults.append("\(name) \(fields[name] ?? "nil")") }
    }
    if exchange.body != expected.body { faults.append("body \(exchange.body?.description ?? "nil")") }
    return faults
  }

  @Test(
    "The client reads what others have recorded (needs the outside cases; CONFORMANCE_DIR names their folder)",
    .enabled(if: !names("responses").isEmpty, "no supabase-wire/auth/responses in \(Conformance.folder)"))
  func responses() throws {
    let decoder = AuthClient.Configuration.jsonDecoder
    for name in Self.names("responses") {
      let bytes = Data(try Self.text("responses/\(name)").utf8)
      switch name {
      case "anonymous-sign-in-response.json":
        let session = try decoder.decode(Session.self, from: bytes)
        #expect(session.user.isAnonymous && session.expiresIn == 3600)
        #expect(session.user.lastSignInAt.map { ISO8601.string(from: $0) } == "2024-04-01T17:05:13.018295Z")
      case "email-change-single-confirmation.json":
        let response = try decoder.decode(VerifyOTPResponse.self, from: bytes)
        guard case .message(let words) = response else {
          Issue.record("\(response)")
          continue
        }
        #expect(words.hasPrefix("Confirmation link accepted"))
      case "list-users-response.json":
        struct Answer: Decodable { let users: [User] }
        let users = try decoder.decode(Answer.self, from: bytes).users
        #expect(users.count == 50 && users[0].email == "nhoysdbdt@supabase.com" && users[0].identities == nil)
      case "local-storage.json":
        let stored = try JSONDecoder().decode([String: JSONValue].self, from: bytes)
        let value = try #require(stored["supabase.auth.token"])
        let session = try SessionLayout.decode(Array(JSONEncoder().encode(value)))
        #expect(session.accessToken == "accesstoken" && session.user.identities?.count == 1)
        #expect(ISO8601.string(from: session.user.createdAt) == "2022-04-09T11:57:01Z")
        #expect(session.user.userMetadata == ["referrer_id": .null])
        // As it was written, but for members that have no value.
        let written = try JSONDecoder().decode(JSONValue.self, from: Data(SessionLayout.encode(session)))
        #expect(written == value)
      case "session.json":
        let response = try decoder.decode(AuthResponse.self, from: bytes)
        #expect(response.session?.refreshToken == "GGduTeu95GraIXQ56jppkw")
        #expect(response.user.identities?.first?.identityId.uuidString.lowercased() == Sample.berta)
      case "signup-response.json":
        let response = try decoder.decode(AuthResponse.self, from: bytes)
        #expect(response.session == nil && response.user.email == "jane@example.com")
      case "user.json":
        let user = try decoder.decode(User.self, from: bytes)
        #expect(user.identities?.map(\.provider) == ["email", "github"])
        #expect(user.identities?.first?.lastSignInAt == ISO8601.date(from: "2022-04-09T11:23:45Z"))
        // To the microsecond, which is what servers keep.
        let again = try decoder.decode(User.self, from: AuthClient.Configuration.jsonEncoder.encode(user))
        let twice = try decoder.decode(User.self, from: AuthClient.Configuration.jsonEncoder.encode(again))
        #expect(again == twice)
        #expect(again.confirmationSentAt.map { ISO8601.string(from: $0) } == "2022-04-09T11:57:01.710601Z")
        #expect(again.createdAt == user.createdAt && again.userMetadata == user.userMetadata)
      default:
        Issue.record("\(name) is no known answer")
      }
    }
  }
}

/// What the server says, as others have recorded it where they have.
private struct Answers: Sendable {
  private let session: String
  private let signUp: String
  private let user: String
  private let users: String

  init() throws {
    func text(_ name: String) throws -> String {
      let path = "\(Conformance.folder)/supabase-wire/auth/responses/\(name).json"
      return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
    session = try text("session")
    signUp = try text("signup-response")
    user = try text("user")
    users = try text("list-users-response")
  }

  func reply(to exchange: FakeTransport.Exchange) -> FakeTransport.Reply {
    FakeTransport.Reply(body: body(exchange))
  }

  private func body(_ exchange: FakeTransport.Exchange) -> String {
    let segments = exchange.path.split(separator: "/").map(String.init)
    switch (segments[0], segments.dropFirst().joined(separator: "/")) {
    case ("token", _), ("passkeys", "authentication/verify"): return session
    // The session's own user.
    case ("factors", let rest) where rest.hasSuffix("/verify"):
      return session.replacing(Sample.anna, with: Sample.berta)
    case ("signup", _): return exchange.body?["password"] == nil ? session : signUp
    case ("verify", _): return session
    case ("user", ""), ("invite", _): return user
    case ("admin", "users"): return exchange.request.method == .get ? users : user
    case ("admin", let rest) where rest.hasSuffix("/passkeys") || rest.hasSuffix("/factors"): return "[]"
    case ("admin", _): return user
    case ("user", "oauth/grants"): return "[]"
    case ("user", "identities/authorize"), ("sso", _): return #"{"url":"https://provider.test/"}"#
    case ("oauth", _): return #"{"redirect_url":"https://app.test/?code=1"}"#
    case ("factors", let rest) where rest.hasSuffix("/challenge"):
      return #"{"id":"c","type":"totp","expires_at":1712345678}"#
    case ("factors", _): return #"{"id":"f","type":"totp"}"#
    case ("passkeys", let rest) where rest.hasSuffix("/options"):
      return #"{"challenge_id":"c","options":{},"expires_at":1712345678}"#
    case ("passkeys", "") where exchange.request.method == .get: return "[]"
    case ("passkeys", _): return #"{"id":"p","created_at":"2024-01-01T00:00:00Z"}"#
    default: return "{}"
    }
  }
}
