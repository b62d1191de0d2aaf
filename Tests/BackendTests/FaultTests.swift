import FoundationEssentials
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterPostgres
import TestSupport
import Testing

@Suite("Faults below the service")
struct FaultTests {
  /// Calls `request` over and over in some tasks while `body` runs, and returns what was wrong with the answers.
  private func load(
    _ request: @escaping @Sendable (_ number: Int) async throws -> String?, during body: () async throws -> Void
  ) async throws -> [String] {
    try await withThrowingTaskGroup(of: [String].self) { group in
      for reader in 0..<6 {
        group.addTask {
          var faults: [String] = []
          var number = reader
          while !Task.isCancelled {
            do {
              if let fault = try await request(number) { faults.append(fault) }
            } catch is CancellationError {
              break
            }
            number += 6
          }
          return faults
        }
      }
      try await body()
      group.cancelAll()
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  @Test("While tables come, change and go no request fails with 500 or gets a wrong row")
  func schemaChanges() async throws {
    let sql = """
      create table steady (id int primary key, name text);
      insert into steady select n, 'row ' || n from generate_series(1, 100) n;
      create table shaky (id int, note text);
      create view seen as select * from steady;
      """
    try await TestBackend.with(sql) { backend async throws in
      let (key, url) = (backend.backend.serviceRoleKey, backend.backend.restURL.absoluteString)
      let faults = try await load { number in
        let id = number % 100 + 1
        let (method, target, body): (HTTPRequest.Method, String, String?) =
          switch number % 5 {
          case 0: (.get, "steady?select=id,name&id=eq.\(id)", nil)
          case 1: (.get, "seen?id=eq.\(id)&select=id,name", nil)
          case 2: (.get, "shaky?select=*", nil)
          case 3: (.post, "shaky", "{\"id\":\(id),\"note\":\"row \(id)\"}")
          default: (.patch, "shaky?id=eq.\(id)", "{\"note\":\"row \(id)\"}")
          }
        let answer = try await TestBackend(backend: backend.backend).send(
          method, "/rest/v1/\(target)", [.apikey: key], body: body)
        if answer.status >= 500 { return "\(method.rawValue) \(url) \(target): \(answer.status) \(answer.text)" }
        if number % 5 < 2, answer.text != "[{\"id\":\(id),\"name\":\"row \(id)\"}]" {
          return "\(target): \(answer.status) \(answer.text)"
        }
        return nil
      } during: {
        for round in 0..<25 {
          for statement in [
            "alter table steady add column extra\(round) int default \(round)",
            "alter table shaky alter column id type \(round % 2 == 0 ? "text" : "int using 0")",
            "alter table shaky rename column note to remark",
            "drop view seen; create view seen as select name, id from steady", "drop table shaky",
            "alter table steady drop column extra\(round)", "create table shaky (note text, id int)",
          ] {
            try await backend.backend.execute(statement)
          }
        }
      }
      #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(5).joined(separator: "\n"))")
    }
  }

  @Test("While PostgreSQL throws everybody out requests get 503, and are answered as soon as it lets them in again")
  func outage() async throws {
    try await TestBackend.with("create table t (id int); insert into t values (1)") { backend async throws in
      let administration = try PostgresPool(try await SharedCluster.shared.connectionString())
      let name = try #require(backend.backend.databaseConnection.firstMatch(of: /test_[0-9]+/)).output
      let refusals = LockedCount()
      let faults = try await load { _ in
        let answer = try await backend.send(.get, "/rest/v1/t")
        switch answer.status {
        case 200: return answer.text == #"[{"id":1}]"# ? nil : answer.text
        case 503:
          await refusals.increase()
          return answer.fields.contains { $0.name.canonicalName == "retry-after" } ? nil : "no Retry-After"
        default: return "\(answer.status) \(answer.text)"
        }
      } during: {
        for _ in 0..<3 {
          let before = await refusals.count
          try await administration.executeScript("alter database \(name) allow_connections false")
          #expect(
            try await eventually {
              try await administration.query(
                "select pg_terminate_backend(pid) from pg_stat_activity where datname = \(String(name))")
              return await refusals.count > before
            })
          try await administration.executeScript("alter database \(name) allow_connections true")
          #expect(try await eventually { try await backend.send(.get, "/rest/v1/t").status == 200 })
        }
      }
      #expect(faults.isEmpty, "\(faults.count): \(faults.prefix(5).joined(separator: "\n"))")
      await administration.close()
    }
  }

  private actor LockedCount {
    private(set) var count = 0
    func increase() { count += 1 }
  }
}
