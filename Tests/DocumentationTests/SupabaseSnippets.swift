// The snippets of docs/guides/supabase.md and of the module's page.
import FoundationEssentials
import Supabase
import Testing

private struct Todo: Codable {
  var task: String
}

private struct Issuer: Sendable {
  func token() async throws -> String? { "token" }
}

private struct Courtesy: ClientMiddleware {
  func intercept(_ request: HTTPRequest, body: HTTPBody?, next: Next) async throws -> (HTTPResponse, HTTPBody) {
    try await next(request, body)
  }
}

/// Lets everybody in, and has one row for those who are.
private struct Project: ClientTransport {
  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    if request.path.hasPrefix("/rest/") {
      let isKey = request.headerFields[.authorization] == "Bearer key"
      return (HTTPResponse(status: .ok), HTTPBody(isKey ? "[]" : #"[{"task":"read"}]"#))
    }
    let session = #"""
      {"access_token":"a.b.c","token_type":"bearer","expires_in":3600,"refresh_token":"r",
      "user":{"id":"8c3b4f0e-5a53-4f6c-9f0e-0d6d8f1c2a11","aud":"authenticated","app_metadata":{},"user_metadata":{},
      "created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}}
      """#
    return (HTTPResponse(status: .ok), HTTPBody(session))
  }
}

@Suite("Snippets about projects")
struct SupabaseSnippets {
  private let url = URL(string: "https://project.supabase.co")!
  private let key = "key"
  private let email = "ada@example.com"
  private let password = "a good password"
  private let token = "token"

  private var inMemory: SupabaseClient.Configuration {
    var configuration = SupabaseClient.Configuration()
    configuration.global.http = HTTPClientConfiguration(transport: Project())
    configuration.auth.localStorage = InMemoryLocalStorage()
    return configuration
  }

  @Test("Signing in and reading, and a server that acts for many")
  func first() async throws {
    /// The snippets' own spelling, on a project in memory.
    func SupabaseClient(supabaseURL: URL, supabaseKey: String) throws -> Supabase.SupabaseClient {
      try Supabase.SupabaseClient(supabaseURL: supabaseURL, supabaseKey: supabaseKey, configuration: inMemory)
    }
    let supabase = try SupabaseClient(supabaseURL: url, supabaseKey: key)
    try await supabase.auth.signIn(email: email, password: password)
    let todos: [Todo] = try await supabase.from("todos").select().execute().value
    #expect(todos.count == 1)
    let user = supabase.withAccessToken(token)
    let own: [Todo] = try await user.from("todos").select().execute().value
    #expect(own.count == 1)
  }
}

@Suite("Snippets about a project's configuration")
struct SupabaseConfigurationSnippets {
  private let url = URL(string: "https://project.supabase.co")!
  private let key = "key"
  private let issuer = Issuer()

  @Test("What modules share and what they do not")
  func parts() throws {
    var configuration = SupabaseClient.Configuration()
    configuration.global.http.timeout = .seconds(20)
    configuration.global.http.middlewares = [Courtesy()]
    configuration.global.headers = [.userAgent: "my app"]
    configuration.database.schema = "shop"
    configuration.auth.flowType = .implicit
    let client = try SupabaseClient(supabaseURL: url, supabaseKey: key, configuration: configuration)
    #expect(client.configuration.database.schema == "shop")
  }

  @Test("Another issuer's tokens")
  func otherIssuer() throws {
    var configuration = SupabaseClient.Configuration()
    configuration.auth.accessToken = { try await issuer.token() }
    let client = try SupabaseClient(supabaseURL: url, supabaseKey: key, configuration: configuration)
    #expect(client.auth.currentSession == nil)
  }
}
