import FoundationEssentials
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterPostgres

/// A backend on a fresh database of the shared cluster.
struct TestBackend {
  let backend: LocalBackend

  /// A client with the key that passes row-level security.
  var client: PostgrestClient { client(key: backend.serviceRoleKey) }

  func client(key: String?) -> PostgrestClient {
    PostgrestClient(configuration: .init(url: backend.restURL, headers: key.map { [.apikey: $0] } ?? [:]))
  }

  /// Starts a backend, runs the SQL in it, calls `body` and puts everything away.
  static func with<Result>(
    _ sql: String = "", _ body: (TestBackend) async throws -> Result
  ) async throws -> Result {
    try await SharedCluster.withDatabase { url in
      let backend = try await LocalBackend.start(.init(storage: .database(url), preparesDatabase: true))
      let result: Swift.Result<Result, any Error>
      do {
        if !sql.isEmpty { try await backend.execute(sql) }
        result = .success(try await body(TestBackend(backend: backend)))
      } catch {
        result = .failure(error)
      }
      await backend.stop()
      return try result.get()
    }
  }

  struct Answer {
    var status: Int
    var fields: HTTPFields
    var text: String
  }

  /// Sends a request as it is; without a key of the caller's it comes with the service's.
  func send(
    _ method: HTTPRequest.Method, _ target: String, _ fields: HTTPFields = [:], body: String? = nil
  ) async throws -> Answer {
    var fields = fields
    if !fields.contains(.apikey), !fields.contains(.authorization) { fields[.apikey] = backend.serviceRoleKey }
    if body != nil { fields[.contentType] = "application/json" }
    let request = HTTPRequest(
      method: method, scheme: "http", authority: "127.0.0.1:\(backend.url.port ?? 0)", path: target,
      headerFields: fields)
    let (response, content) = try await HTTPClient(configuration: .default)
      .send(request, body: body.map { HTTPBody($0) })
    return Answer(
      status: response.status.code, fields: response.headerFields,
      text: String(decoding: try await content.collect(upTo: .max), as: UTF8.self))
  }
}

extension TestBackend {
  /// How many statements with that text PostgreSQL is working on.
  func runningStatements(containing text: String) async throws -> Int {
    let pool = try PostgresPool(backend.databaseConnection)
    let result = try await pool.query(
      """
      select count(*) from pg_stat_activity
      where state = 'active' and datname = current_database() and pid <> pg_backend_pid()
        and position(\(text) in query) > 0
      """)
    await pool.close()
    return result.string(row: 0, column: 0).flatMap { Int($0) } ?? 0
  }
}
