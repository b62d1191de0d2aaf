import SwiftwaterHTTP
import SwiftwaterPostgres
import Testing

@testable import SupabaseServices

@Suite("Statements that requests become")
struct PlanTests {
  @Test("Statements that are too long to repeat are not kept by PostgreSQL")
  func preparation() throws {
    func isPrepared(filters: Int) throws -> Bool {
      let query = Array(repeating: "id=gt.1", count: filters).joined(separator: "&")
      let request = try RESTRequest(method: .get, target: "/t?\(query)", fields: HTTPFields(), schemas: ["public"])
      return try Plan(request, nil, Relation(schema: "public", name: "t", columns: [])).statement.isPrepared
    }
    #expect(try isPrepared(filters: 10))
    #expect(try !isPrepared(filters: 1000))
  }
}
