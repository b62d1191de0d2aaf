import FoundationEssentials
import PostgREST
import PostgresTestSupport
import SupabaseServices
import SwiftwaterTokens
import Testing

@testable import SwiftwaterBackend

@Suite("Every route, asked by everybody")
struct RouteTests {
  private static let sql = """
    create table t (id int primary key);
    create view v as select id from t;
    create table private (id int primary key);
    revoke all on private from anon, authenticated;
    create function f() returns int language sql immutable as 'select 1';
    """

  private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .patch, .put, .delete, .options]

  /// What the methods, in the order above, are answered with when the anonymous role asks.
  private static let answers: [(service: Routes.Service?, path: String, statuses: [Int])] = [
    (.rest, "/rest/v1/t?id=eq.1", [200, 200, 201, 204, 204, 204, 200]),
    (.rest, "/rest/v1/v?id=eq.1", [200, 200, 201, 204, 204, 204, 200]),
    (.rest, "/rest/v1/private?id=eq.1", [401, 401, 401, 401, 401, 401, 200]),
    (.rest, "/rest/v1/rpc/f", [200, 200, 200, 405, 405, 405, 200]),
    (.rest, "/rest/v1/", [200, 200, 405, 405, 405, 405, 200]),
    (.rest, "/rest/v1", [200, 200, 405, 405, 405, 405, 200]),
    (.rest, "/rest/v1?select=id", [200, 200, 405, 405, 405, 405, 200]),
    (.rest, "/rest/v1/missing", [404, 404, 404, 404, 404, 404, 404]),
    (.rest, "/rest/v1/rpc/missing", [404, 404, 404, 405, 405, 405, 404]),
    (.rest, "/rest/v1/a/b", [404, 404, 404, 404, 404, 404, 404]),
    (.rest, "/rest/v1/../../t", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "/", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "/rest/v1x/t", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "/rest/V1/t", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "//rest/v1/t", [404, 404, 404, 404, 404, 404, 404]),
    (.auth, "/auth/v1/health", [200, 200, 405, 405, 405, 405, 204]),
    (.auth, "/auth/v1/token", [405, 405, 400, 405, 405, 405, 204]),
    (.auth, "/auth/v1/missing", [404, 404, 404, 404, 404, 404, 404]),
    (.auth, "/auth/v1", [404, 404, 404, 404, 404, 404, 404]),
    // Nobody is shown what a backend that is not in development mode keeps.
    (.inbox, "/inbox", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "/auth/v2/token", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "/inboxes", [404, 404, 404, 404, 404, 404, 404]),
    (nil, "/t?id=eq.1", [404, 404, 404, 404, 404, 404, 404]),
  ]

  private static let secret = LocalBackend.Configuration.developmentSecret

  /// Tokens that nobody must believe, by what is wrong with them.
  private static func forgeries(_ key: ES256PrivateKey) throws -> [(name: String, token: String)] {
    func base64URL(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
    let claims = #"{"role":"service_role"}"#
    let unsigned = base64URL(#"{"alg":"none","typ":"JWT"}"#) + "." + base64URL(claims)
    let signed = JSONWebToken.sign(claims: claims, secret: secret).split(separator: ".")
    let disguised = try key.sign(claims: claims).split(separator: ".")
    return [
      ("empty", ""), ("unsigned", unsigned + "."), ("unsigned, with a signature", "\(unsigned).\(signed[2])"),
      ("another secret", JSONWebToken.sign(claims: claims, secret: String(secret.reversed()))),
      ("another key", try ES256PrivateKey().sign(claims: claims)),
      ("the public key as the secret", JSONWebToken.sign(claims: claims, secret: key.publicJWK)),
      ("HS256's signature as ES256's", "\(disguised[0]).\(disguised[1]).\(signed[2])"),
      ("ES256's signature as HS256's", "\(signed[0]).\(signed[1]).\(disguised[2])"),
      ("expired", JSONWebToken.sign(claims: #"{"role":"service_role","exp":1}"#, secret: secret)),
      ("not yet valid", JSONWebToken.sign(claims: #"{"role":"service_role","nbf":99999999999}"#, secret: secret)),
      ("no audience", JSONWebToken.sign(claims: #"{"role":"service_role","aud":7}"#, secret: secret)),
      ("no such role", JSONWebToken.sign(claims: #"{"role":"nobody"}"#, secret: secret)),
    ]
  }

  private func with(_ body: (LocalBackend, ES256PrivateKey) async throws -> Void) async throws {
    let key = try ES256PrivateKey()
    try await SharedCluster.withDatabase { url in
      var configuration = LocalBackend.Configuration(storage: .database(url), preparesDatabase: true)
      configuration.jwtKeys = key.publicJWK
      try await LocalBackend.with(configuration) { backend async throws in
        try await backend.execute(Self.sql)
        try await body(backend, key)
      }
    }
  }

  private func status(
    _ backend: LocalBackend, _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields
  ) async throws -> Int {
    var fields = fields
    fields[.prefer] = "tx=rollback"
    let hasBody = [.post, .patch, .put].contains(method)
    if hasBody { fields[.contentType] = "application/json" }
    let body = path.contains("/rpc/") ? "{}" : #"{"id":1}"#
    let request = HTTPRequest(
      method: method, scheme: "http", authority: "127.0.0.1:\(backend.url.port ?? 0)", path: path, headerFields: fields)
    let (response, content) = try await HTTPClient(configuration: .default)
      .send(request, body: hasBody ? HTTPBody(body) : nil)
    _ = try await content.collect(upTo: .max)
    return response.status.code
  }

  private func walk(
    _ backend: LocalBackend, _ caller: String, _ fields: HTTPFields,
    _ expected: (_ service: Routes.Service?, _ method: HTTPRequest.Method, _ status: Int) -> Int
  ) async throws {
    for (service, path, statuses) in Self.answers {
      for (method, status) in zip(Self.methods, statuses) {
        let found = try await self.status(backend, method, path, fields)
        #expect(found == expected(service, method, status), "\(caller): \(method.rawValue) \(path)")
      }
    }
  }

  @Test("The table below knows each service, and each path leads to the service that it says")
  func complete() {
    #expect(Set(Self.answers.compactMap(\.service)) == Set(Routes.Service.allCases))
    for (service, path, statuses) in Self.answers {
      #expect(Routes.match(path)?.service == service, "\(path)")
      #expect(statuses.count == Self.methods.count)
    }
  }

  @Test("Without a token, with an empty scheme and with the anonymous key they get what everybody may have")
  func anonymous() async throws {
    try await with { backend, key async throws in
      let callers: [(String, HTTPFields)] = [
        ("no token", [:]), ("another scheme", [.authorization: "Basic eDp5"]), ("key", [.apikey: backend.anonKey]),
        ("token", [.authorization: "bearer \(try key.sign(claims: #"{"role":"anon"}"#))"]),
      ]
      for (name, fields) in callers { try await walk(backend, name, fields) { _, _, status in status } }
    }
  }

  @Test("Tokens that are not to be believed open nothing, however they are sent")
  func forged() async throws {
    try await with { backend, key async throws in
      for (name, token) in try Self.forgeries(key) {
        let isVerified = name == "no such role"
        for fields in [[.authorization: "Bearer \(token)"], [.apikey: token]] as [HTTPFields] where !isVerified {
          // An empty key is none.
          try await walk(backend, name, fields) { service, _, status in service == .rest ? 401 : status }
        }
        let known = try await status(backend, .get, "/rest/v1/t", [.authorization: "Bearer \(token)"])
        #expect(known == 401, "\(name)")
      }
    }
  }

  @Test("Pages of strangers, and names of theirs for this machine, get nothing from any route")
  func strangers() async throws {
    try await with { backend, _ async throws in
      let origin = try #require(HTTPField.Name("Origin"))
      let key = backend.serviceRoleKey
      for fields in [
        [.apikey: key, .host: "evil.example"], [.apikey: key, .host: "127.0.0.1.evil.example:80"],
        [.apikey: key, origin: "https://evil.example"], [.apikey: key, origin: "null"],
      ] as [HTTPFields] {
        try await walk(backend, "stranger", fields) { _, _, _ in 403 }
      }
    }
  }
}
