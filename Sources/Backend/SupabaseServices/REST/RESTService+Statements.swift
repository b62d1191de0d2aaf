package import SwiftwaterHTTP
package import SwiftwaterPostgres

extension RESTService {
  /// What a request would have PostgreSQL run, in one transaction; for measurements of PostgreSQL alone.
  ///
  /// - Parameter target: path and query as in `respond(to:target:)`.
  /// - Throws: what is an answer there.
  package func statements(
    for head: HTTPRequest, target: String, body: [UInt8] = []
  ) async throws -> [PostgresStatement] {
    let catalog = try await catalogs.current()
    let caller = try RESTCaller(
      head.headerFields, verifier: verifier, rolePath: configuration.rolePath,
      anonymousRole: configuration.anonymousRole)
    let request = try RESTRequest(head, target: target, catalog.configuration)
    let payload = body.isEmpty ? nil : try Payload(body, of: request)
    let plan = try Plan(request, payload, catalog)
    return transaction(request, plan, catalog, head: head, caller: caller).statements
  }
}
