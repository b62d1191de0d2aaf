import FoundationEssentials
import Supabase
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("A project's client")
struct SupabaseClientTests {
  private let project = ProjectTransport()
  private let storage = WatchedStorage()
  private let anonKey = ProjectTransport.key("anon")

  private func client(
    key: String? = nil, url: String = "https://project.supabase.co",
    _ change: (inout SupabaseClient.Configuration) -> Void = { _ in }
  ) throws -> SupabaseClient {
    var configuration = SupabaseClient.Configuration()
    configuration.global.http = HTTPClientConfiguration(transport: project)
    configuration.auth.localStorage = storage
    configuration.auth.autoRefreshToken = false
    change(&configuration)
    return try SupabaseClient(
      supabaseURL: try #require(URL(string: url)), supabaseKey: key ?? anonKey, configuration: configuration)
  }

  // MARK: - Whose token requests carry

  @Test("Requests carry the key until somebody signs in, then the session's token, and the key again after that")
  func session() async throws {
    let client = try client()
    try await client.from("todos").select().execute()
    #expect(project.last?.path == "/rest/v1/todos?select=*")
    #expect(project.lastAuthorization == "Bearer \(anonKey)")
    let session = try await client.auth.signIn(email: "ada@example.com", password: "secret")
    for _ in 0..<2 {
      try await client.rpc("f").execute()
      #expect(project.lastAuthorization == "Bearer \(session.accessToken)")
      #expect(project.last?.headerFields[.apikey] == anonKey)
    }
    try await client.schema("other").from("todos").select().execute()
    #expect(project.lastAuthorization == "Bearer \(session.accessToken)")
    try await client.auth.signOut()
    try await client.from("todos").select().execute()
    #expect(project.lastAuthorization == "Bearer \(anonKey)")
  }

  @Test(
    "A session that has expired is renewed before the request; if that fails the request fails, and is not anonymous")
  func renewal() async throws {
    let clock = ManualClock()
    let client = try client {
      $0.global.clock = clock
      $0.auth.retryEnabled = false
      $0.database.retryEnabled = false
    }
    let first = try await client.auth.signIn(email: "ada@example.com", password: "secret")
    clock.advance(by: .seconds(3601))
    project.isDown.withLock { $0 = true }
    let before = project.requests.withLock { $0.count }
    let error = await #expect(throws: PostgrestError.self) { try await client.from("todos").select().execute() }
    #expect(error?.kind == .accessToken)
    #expect(project.requests.withLock { !$0[before...].contains { $0.path.hasPrefix("/rest/") } })
    project.isDown.withLock { $0 = false }
    try await client.from("todos").select().execute()
    #expect(project.lastAuthorization != "Bearer \(first.accessToken)")
    #expect(project.lastAuthorization != "Bearer \(anonKey)")
  }

  @Test("Another issuer's tokens are asked for with every request; without one the key stands")
  func provider() async throws {
    let tokens = LockIsolated<[String?]>(["first", nil])
    let client = try client { $0.auth.accessToken = { tokens.withLock { $0.removeFirst() } } }
    try await client.from("todos").select().execute()
    #expect(project.lastAuthorization == "Bearer first")
    try await client.from("todos").select().execute()
    #expect(project.lastAuthorization == "Bearer \(anonKey)")
  }

  @Test("What the provider throws is the underlying error of the module's own")
  func failingProvider() async throws {
    struct Broken: Error {}
    let client = try client { $0.auth.accessToken = { throw Broken() } }
    let error = await #expect(throws: PostgrestError.self) { try await client.from("todos").select().execute() }
    #expect(error?.kind == .accessToken && error?.underlyingError is Broken)
    #expect(project.last == nil)
  }

  @Test("Where tokens come from elsewhere nobody signs in")
  func noAuth() async throws {
    for client in [try client { $0.auth.accessToken = { "token" } }, try client().withAccessToken("token")] {
      let error = await #expect(throws: AuthError.self) {
        try await client.auth.signIn(email: "ada@example.com", password: "secret")
      }
      #expect(error?.kind == .invalidRequest && error?.message.contains("accessToken") == true)
      #expect(client.auth.currentSession == nil)
    }
    #expect(project.last == nil && storage.writes.value == 0)
  }

  @Test("A client of one user's token speaks for that user, beside all others on the same transport")
  func bound() async throws {
    let client = try client()
    let session = try await client.auth.signIn(email: "ada@example.com", password: "secret")
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          let user = client.withAccessToken("token-\(number)")
          try await user.from("t\(number)").select().execute()
          try await user.withAccessToken("other-\(number)").schema("s").from("o\(number)").select().execute()
        }
      }
      try await group.waitForAll()
    }
    let sent = project.requests.withLock { $0 }.filter { $0.path.hasPrefix("/rest/") }
    #expect(sent.count == 200)
    for request in sent {
      let name = request.path.dropFirst("/rest/v1/".count).prefix { $0 != "?" }
      let token = name.hasPrefix("t") ? "token-\(name.dropFirst())" : "other-\(name.dropFirst())"
      #expect(request.headerFields[.authorization] == "Bearer \(token)")
    }
    try await client.from("todos").select().execute()
    #expect(project.lastAuthorization == "Bearer \(session.accessToken)")
  }

  @Test("A client with a secret key speaks for the project and stores nothing, also after signing somebody in")
  func secretKey() async throws {
    for key in [ProjectTransport.key("service_role"), "sb_secret_abc"] {
      let client = try client(key: key) { $0.auth.autoRefreshToken = true }
      try await client.auth.signIn(email: "ada@example.com", password: "secret")
      #expect(client.auth.currentSession != nil)
      try await client.from("todos").select().execute()
      #expect(project.lastAuthorization == "Bearer \(key)")
    }
    #expect(storage.writes.value == 0)
  }

  @Test("A configured Authorization wins over every token, and a header over the SDK's")
  func configuredHeaders() async throws {
    let client = try client {
      $0.global.headers = [.authorization: "Bearer mine", .apikey: "another", .via: "app"]
      $0.auth.accessToken = { "token" }
    }
    try await client.from("todos").select().execute()
    #expect(project.lastAuthorization == "Bearer mine")
    #expect(project.last?.headerFields[.apikey] == "another")
    #expect(project.last?.headerFields[.via] == "app")
  }

  @Test("Auth takes a key as bearer if it is a token, and only as apikey otherwise")
  func keyForAuth() async throws {
    try await client().auth.signIn(email: "ada@example.com", password: "secret")
    #expect(project.lastAuthorization == "Bearer \(anonKey)")
    let publishable = try client(key: "sb_publishable_abc") { $0.auth.localStorage = InMemoryLocalStorage() }
    try await publishable.auth.signIn(email: "ada@example.com", password: "secret")
    #expect(project.lastAuthorization == nil && project.last?.headerFields[.apikey] == "sb_publishable_abc")
  }

  // MARK: - Configuration

  @Test("A module's transport wins, and its middlewares follow the global ones, before the SDK's")
  func mergedStack() async throws {
    let (databases, auths) = (ProjectTransport(), ProjectTransport())
    let client = try client {
      $0.global.http.middlewares = [Passing(name: "global")]
      $0.database.http = HTTPClientConfiguration(transport: databases, middlewares: [Passing(name: "database")])
      $0.auth.http = HTTPClientConfiguration(
        transport: auths, middlewares: [Passing(name: "auth")], timeout: .seconds(5))
    }
    try await client.auth.signIn(email: "ada@example.com", password: "secret")
    try await client.from("todos").select().execute()
    #expect(project.last == nil)
    #expect(databases.last?.headerFields[.via] == "global,database")
    #expect(databases.last?.timeout == .seconds(60))
    #expect(auths.last?.headerFields[.via] == "global,auth")
    #expect(auths.last?.timeout == .seconds(5))
  }

  @Test("What a module's part does not set comes from the global one; what it sets wins")
  func parts() throws {
    let log = ClientLogger(label: "mine", level: .trace, handler: StandardErrorLogHandler.shared)
    let own = ClientLogger(label: "own", level: .error, handler: StandardErrorLogHandler.shared)
    let client = try client {
      $0.global.logger = log
      $0.database.logger = own
      $0.database.schema = "private"
      $0.database.retryEnabled = false
      $0.auth.storageKey = "key"
      $0.auth.flowType = .implicit
      $0.auth.redirectToURL = URL(string: "app://back")
      $0.global.observesAppLifecycle = false
    }
    let (database, auth) = (client.schema("private").configuration, client.auth.configuration)
    #expect(database.logger.label == "own" && database.logger.metadata["system"] == "postgrest")
    #expect(database.retryEnabled == false)
    #expect(auth.logger.label == "mine" && auth.logger.metadata["system"] == "auth")
    #expect(auth.storageKey == "key" && auth.flowType == .implicit && auth.redirectToURL?.scheme == "app")
    #expect(!auth.autoRefreshToken && !auth.observesAppLifecycle)
    let plain = try self.client { $0.auth.autoRefreshToken = true }
    #expect(plain.auth.configuration.logger.label == "io.supabase.auth")
    #expect(plain.schema("s").configuration.logger.label == "io.supabase.postgrest")
    #expect(plain.auth.configuration.autoRefreshToken && plain.auth.configuration.observesAppLifecycle)
  }

  @Test("The schema is that of the configuration unless a call names another")
  func schema() async throws {
    let client = try client { $0.database.schema = "private" }
    let profile = try #require(HTTPField.Name("Accept-Profile"))
    try await client.from("todos").select().execute()
    #expect(project.last?.headerFields[profile] == "private")
    try await client.schema("other").from("todos").select().execute()
    #expect(project.last?.headerFields[profile] == "other")
  }

  @Test(
    "Sessions are stored under the key that the other SDKs use",
    arguments: [
      ("https://project.supabase.co", "sb-project-auth-token"), ("http://127.0.0.1:54321", "sb-127-auth-token"),
      ("https://db.example.com/supabase/", "sb-db-auth-token"), ("http://localhost:54321", "sb-localhost-auth-token"),
    ])
  func storageKey(url: String, key: String) async throws {
    let client = try client(url: url)
    try await client.auth.signIn(email: "ada@example.com", password: "secret")
    #expect(storage.values.withLock { Array($0.keys) } == [key])
    // The next run of the program finds it.
    let next = try self.client(url: url)
    #expect(next.auth.currentUser?.email == "ada@example.com")
  }

  @Test("A path in the project's address stays before the modules'")
  func basePath() async throws {
    let client = try client(url: "https://example.com/supabase")
    try await client.from("todos").select().execute()
    #expect(project.last?.path == "/supabase/rest/v1/todos?select=*")
    try await client.auth.signIn(email: "ada@example.com", password: "secret")
    #expect(project.last?.path.hasPrefix("/supabase/auth/v1/token") == true)
  }

  @Test(
    "Addresses that are none are refused",
    arguments: ["project.supabase.co", "ftp://project.supabase.co", "https:///x"])
  func badURL(url: String) {
    let error = #expect(throws: SupabaseClientError.self) { try client(url: url) }
    #expect(error?.kind == .invalidURL)
  }

  @Test("Keys that cannot be any are refused and not quoted", arguments: ["", "a b", "key\r\nX: y", "schlüssel"])
  func badKey(key: String) {
    let error = #expect(throws: SupabaseClientError.self) { try client(key: key) }
    #expect(error?.kind == .invalidKey)
    if !key.isEmpty { #expect(error?.description.contains(key) == false) }
  }

  @Test("A key of an unknown kind is taken with a warning")
  func unknownKey() throws {
    let log = CapturedLog()
    _ = try client(key: "sb_future_abc") { $0.global.logger = ClientLogger(label: "t", level: .info, handler: log) }
    #expect(log.records.withLock { $0.map(\.level) } == [.warning])
    #expect(log.records.withLock { !"\($0)".contains("sb_future_abc") })
  }

  @Test("A client that is released is gone, with its Auth, whoever it was made for")
  func released() async throws {
    weak var auth: AuthClient?
    weak var bound: SupabaseClient?
    weak var released: SupabaseClient?
    do {
      let client = try client { $0.auth.autoRefreshToken = true }
      try await client.auth.signIn(email: "ada@example.com", password: "secret")
      try await client.from("todos").select().execute()
      let user = client.withAccessToken("token")
      try await user.from("todos").select().execute()
      (auth, bound, released) = (client.auth, user, client)
    }
    #expect(released == nil && bound == nil)
    #expect(await eventually { auth == nil })
  }
}

private final class CapturedLog: ClientLogHandler {
  let records = LockIsolated<[LogRecord]>([])
  func log(_ record: LogRecord) { records.withLock { $0.append(record) } }
}
