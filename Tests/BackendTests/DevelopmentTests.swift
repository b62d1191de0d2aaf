import FoundationEssentials
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import Testing

@Suite("Development mode")
struct DevelopmentTests {
  private static let secret = "a secret of this test, which is long enough"

  private func with(
    _ change: (inout LocalBackend.Configuration) -> Void = { _ in }, _ body: (TestBackend) async throws -> Void
  ) async throws {
    try await SharedCluster.withDatabase { url in
      var configuration = LocalBackend.Configuration(storage: .database(url), preparesDatabase: true)
      change(&configuration)
      try await LocalBackend.with(configuration) { backend async throws in
        try await backend.execute("create table t (id int)")
        try await body(TestBackend(backend: backend))
      }
    }
  }

  private func status(_ backend: TestBackend, host: String? = nil, origin: String? = nil) async throws -> Int {
    var fields: HTTPFields = [:]
    if let host { fields[.host] = host }
    if let origin { fields[try #require(HTTPField.Name("Origin"))] = origin }
    return try await backend.send(.get, "/rest/v1/t", fields).status
  }

  @Test("While everybody knows the keys, pages and names of strangers are refused, those of this machine are not")
  func strangers() async throws {
    try await with { backend async throws in
      for host in ["127.0.0.1:80", "localhost", "LOCALHOST:3000", "app.localhost:1", "[::1]:5", "10.0.2.2:54321"] {
        #expect(try await status(backend, host: host) == 200, "\(host)")
      }
      for host in ["evil.example", "127.0.0.1.evil.example:80", "127.evil", "localhost.evil.example"] {
        #expect(try await status(backend, host: host) == 403, "\(host)")
      }
      for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080", "capacitor://localhost"] {
        #expect(try await status(backend, origin: origin) == 200, "\(origin)")
      }
      for origin in ["https://evil.example", "null", "http://10.0.2.2", "http://localhost.evil.example", "localhost"] {
        #expect(try await status(backend, origin: origin) == 403, "\(origin)")
      }
    }
  }

  @Test("With a secret of one's own and another's database the mode is off; it can be turned on")
  func ownSecret() async throws {
    try await with {
      $0.jwtSecret = Self.secret
    } _: { backend async throws in
      #expect(!backend.backend.isDevelopment)
      #expect(try await status(backend, host: "api.example", origin: "https://app.example") == 200)
    }
    try await with {
      $0.jwtSecret = Self.secret
      $0.isDevelopment = true
    } _: { backend async throws in
      #expect(backend.backend.isDevelopment)
      #expect(try await status(backend, origin: "https://app.example") == 403)
    }
  }

  @Test(
    "On an address that others reach neither the known secret nor the mode is allowed",
    arguments: [("0.0.0.0", nil, nil), ("::", nil, nil), ("0.0.0.0", secret, true)] as [(String, String?, Bool?)])
  func exposed(host: String, secret: String?, isDevelopment: Bool?) async throws {
    var configuration = LocalBackend.Configuration()
    configuration.host = host
    configuration.isDevelopment = isDevelopment
    if let secret { configuration.jwtSecret = secret }
    do {
      let backend = try await LocalBackend.start(configuration)
      await backend.stop()
      Issue.record("It has started.")
    } catch let error as LocalBackendError {
      #expect(error.code == .invalidConfiguration)
    }
  }

  @Test("With a secret of one's own it listens on every address")
  func everyAddress() async throws {
    try await with {
      $0.jwtSecret = Self.secret
      $0.host = "0.0.0.0"
    } _: { backend async throws in
      #expect(backend.backend.url.absoluteString.hasPrefix("http://127.0.0.1:"))
      #expect(try await status(backend) == 200)
    }
  }
}
