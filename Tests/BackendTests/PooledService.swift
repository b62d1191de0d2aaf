import FoundationEssentials
import PostgREST
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTPServer
import SwiftwaterPostgres
import SwiftwaterTokens

/// The REST service on a pool of its own, so that a test can say how many connections there are.
struct PooledService {
  let pool: PostgresPool
  let service: RESTService

  /// Calls `body` with a service on the backend's database and closes the pool afterwards.
  static func with(
    _ backend: TestBackend, _ change: (inout PostgresPool.Configuration) -> Void = { _ in },
    rest changeREST: (inout RESTService.Configuration) -> Void = { _ in },
    _ body: (PooledService) async throws -> Void
  ) async throws {
    var configuration = PostgresPool.Configuration(backend.backend.databaseConnection)
    configuration.sessionUser = "authenticator"
    configuration.maximumConnections = 1
    change(&configuration)
    let pool = try PostgresPool(configuration)
    let keys = try JWTKeySet(LocalBackend.Configuration.developmentSecret)
    var settings = RESTService.Configuration(tokens: JWTSettings(keys: keys))
    changeREST(&settings)
    let service = RESTService(pool: pool, configuration: settings)
    do {
      try await service.prepare()
      try await body(PooledService(pool: pool, service: service))
    } catch {
      await pool.close(grace: .zero)
      throw error
    }
    await pool.close(grace: .zero)
  }

  static func token(_ claims: String) -> HTTPFields {
    let token = JSONWebToken.sign(claims: claims, secret: LocalBackend.Configuration.developmentSecret)
    return [.authorization: "Bearer \(token)"]
  }

  func send(
    _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = token(#"{"role":"service_role"}"#),
    body: String? = nil
  ) async throws -> TestBackend.Answer {
    var fields = fields
    if body != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "127.0.0.1", path: target, headerFields: fields)
    let response = try await service.respond(
      to: ServerRequest(head: head, body: body.map { HTTPBody($0) } ?? .empty), target: target)
    return TestBackend.Answer(
      status: response.head.status.code, fields: response.head.headerFields,
      text: String(decoding: try await response.body.collect(upTo: .max), as: UTF8.self))
  }
}
