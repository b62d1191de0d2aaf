import PostgREST
import PostgresTestSupport
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterPostgres
import SwiftwaterTokens
import Testing

@Suite("Tokens, from the header field to the row")
struct TokenTests {
  private static let table = "create table t (id int); insert into t values (1);"

  private func with(
    keys: String, _ body: (TestBackend) async throws -> Void
  ) async throws {
    try await SharedCluster.withDatabase { url in
      var configuration = LocalBackend.Configuration(storage: .database(url), preparesDatabase: true)
      configuration.jwtKeys = keys
      try await LocalBackend.with(configuration) { backend async throws in
        try await backend.execute(Self.table)
        try await body(TestBackend(backend: backend))
      }
    }
  }

  private func get(_ backend: TestBackend, _ token: String) async throws -> TestBackend.Answer {
    try await backend.send(.get, "/rest/v1/t", [.authorization: "Bearer \(token)"])
  }

  @Test("Tokens of a key set are believed beside those of the secret; a public key is no secret")
  func keySet() async throws {
    let key = try ES256PrivateKey()
    try await with(keys: #"{"keys":[\#(key.publicJWK)]}"#) { backend async throws in
      #expect(try await get(backend, key.sign(claims: #"{"role":"anon"}"#)).text == #"[{"id":1}]"#)
      #expect(try await get(backend, backend.backend.anonKey).status == 200)
      let forgeries = [
        JSONWebToken.sign(claims: #"{"role":"service_role"}"#, secret: key.publicJWK),
        try ES256PrivateKey().sign(claims: #"{"role":"service_role"}"#),
        try key.sign(claims: #"{"role":"service_role","exp":1}"#),
      ]
      for token in forgeries {
        let answer = try await get(backend, token)
        #expect(answer.status == 401)
        #expect(answer.fields.contains { $0.name.canonicalName == "www-authenticate" })
      }
    }
  }

  @Test("A single key is a set, too")
  func singleKey() async throws {
    let key = try ES256PrivateKey()
    try await with(keys: key.publicJWK) { backend async throws in
      #expect(try await get(backend, key.sign(claims: #"{"role":"anon"}"#)).status == 200)
    }
  }

  @Test("No token makes anybody the database's owner, though the backend has connected as that")
  func owner() async throws {
    try await TestBackend.with(Self.table) { backend async throws in
      for role in ["postgres", "pg_read_all_data", "authenticator\", postgres"] {
        let claims = #"{"role":"\#(role.replacing("\"", with: "\\\""))"}"#
        let token = JSONWebToken.sign(claims: claims, secret: LocalBackend.Configuration.developmentSecret)
        let answer = try await get(backend, token)
        #expect((400..<500).contains(answer.status), "\(role): \(answer.text)")
        #expect(!answer.text.contains("\"id\""))
      }
    }
  }

  @Test("Keys that cannot be used stop the start before anything is made")
  func badKeys() async throws {
    var short = LocalBackend.Configuration(jwtSecret: "short")
    await #expect(throws: LocalBackendError.self) { try await LocalBackend.start(short) }
    short.jwtSecret = LocalBackend.Configuration.developmentSecret
    short.jwtKeys = "{}"
    do {
      _ = try await LocalBackend.start(short)
      Issue.record("It has started.")
    } catch let error as LocalBackendError {
      #expect(error.code == .invalidConfiguration)
    }
  }
}
