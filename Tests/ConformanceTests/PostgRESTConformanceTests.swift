import FoundationEssentials
import SupabaseServices
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterPostgres
import SwiftwaterStreams
import SwiftwaterTokens
import TestSupport
import Testing

@Suite("PostgREST Conformance")
struct PostgRESTConformanceTests {
  private static let isPresent = FileManager.default.fileExists(atPath: PostgRESTFixtures.folder + "/cases.json")

  @Test(
    "PostgREST's own cases get its answers (needs the outside cases; CONFORMANCE_DIR names their folder)",
    .enabled(if: isPresent, "no postgrest/cases.json in \(Conformance.folder)"))
  func cases() async throws {
    let folder = URL(filePath: PostgRESTFixtures.folder)
    let cases = try JSONDecoder().decode(
      [PostgRESTCase].self, from: Data(contentsOf: folder.appending(path: "cases.json")))
    let configurations = try JSONDecoder().decode(
      [String: [String: JSONValue]].self, from: Data(contentsOf: folder.appending(path: "configs.json")))
    let fixtures = try await PostgRESTFixtures.load()
    var servers: [String: PostgRESTServer] = [:]
    var skipped: [String] = []
    var failures: [String] = []
    do {
      for candidate in cases {
        let missing = (candidate.requires ?? []).filter { !fixtures.features.contains($0) }
        if !missing.isEmpty {
          skipped.append("\(candidate.id): needs \(missing.joined(separator: ", "))")
          continue
        }
        if servers[candidate.config] == nil {
          servers[candidate.config] = try await PostgRESTServer(
            PostgRESTConfiguration(candidate.config, in: configurations), connection: fixtures.connection)
        }
        let faults = try await servers[candidate.config]?.faults(of: candidate) ?? []
        if !faults.isEmpty { failures.append("\(candidate.id)\n    \(faults.joined(separator: "\n    "))") }
      }
    } catch {
      for server in servers.values { await server.stop() }
      await fixtures.stop()
      throw error
    }
    for server in servers.values { await server.stop() }
    await fixtures.stop()

    let total = cases.count - skipped.count
    for line in skipped { print("postgrest conformance: skipped \(line)") }
    for line in failures { print("postgrest conformance: failed \(line)") }
    print("postgrest conformance: \(total - failures.count) of \(total) passed, \(skipped.count) skipped")
    #expect(failures.count * 100 <= total, "more than one of a hundred cases failed")
  }
}

/// A PostgREST service of one configuration behind a real HTTP server.
private struct PostgRESTServer {
  private let pool: PostgresPool
  private let server: HTTPServer
  private let transport = CurlTransport()

  init(_ configuration: PostgRESTConfiguration, connection: String) async throws {
    pool = try PostgresPool(connection)
    let service = RESTService(pool: pool, configuration: try configuration.service())
    let policy = RESTService.corsPolicy(allowedOrigins: configuration.allowedOrigins)
    var settings = HTTPServer.Configuration()
    settings.port = 0
    server = HTTPServer(
      configuration: settings,
      handler: policy.wrap { request in try await service.respond(to: request, target: request.head.path) })
    try await server.start()
  }

  func stop() async {
    await server.stop()
    await pool.close()
  }

  func faults(of candidate: PostgRESTCase) async throws -> [String] {
    let wanted = candidate.request
    var fields = HTTPFields()
    for (name, value) in wanted.headers {
      guard let name = HTTPField.Name(name) else { continue }
      let values: [JSONValue] = if case .array(let all) = value { all } else { [value] }
      for value in values { fields.append(HTTPField(name: name, value: try Self.text(value))) }
    }
    let request = HTTPRequest(
      method: HTTPRequest.Method(rawValue: wanted.method), scheme: "http", authority: "127.0.0.1:\(server.port)",
      path: wanted.path,
      headerFields: fields)
    let body =
      wanted.body.map { Array($0.utf8) } ?? wanted.body_base64.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    let (response, content) = try await transport.send(request, body: body.map { HTTPBody($0) })
    let bytes = try await content.collect(upTo: .max)
    return candidate.expect.faults(status: response.status.code, fields: response.headerFields, body: bytes)
  }

  /// A field's value: text, or a token to be signed.
  private static func text(_ value: JSONValue) throws -> String {
    if case .string(let text) = value { return text }
    guard case .object(let members) = value, case .string(let scheme)? = members["scheme"],
      case .string(let secret)? = members["secret"], let claims = members["jwt"]
    else { return "" }
    let json = String(decoding: try JSONEncoder().encode(claims), as: UTF8.self)
    return "\(scheme) \(JSONWebToken.sign(claims: json, secret: secret))"
  }
}
