import PostgREST
import SwiftwaterPostgres
import TestSupport
import Testing

@Suite("When all connections are busy")
struct ExhaustionTests {
  private static let sql = "create table t (id int); create view slow as select pg_sleep(600)::text;"

  private func expectRefusal(_ answer: TestBackend.Answer) throws {
    #expect(answer.status == 503)
    #expect(answer.text.contains(#""code":"PGRST003""#))
    #expect(answer.text.contains("Timed out acquiring connection from connection pool."))
    #expect(answer.fields[try #require(HTTPField.Name("Retry-After"))] != nil)
  }

  @Test("Requests whose turn does not come in time get 503 and have done nothing; then all is well again")
  func deadline() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      try await PooledService.with(backend) {
        $0.acquisitionTimeout = .seconds(2)
      } _: { service async throws in
        let slow = Task { try await service.send(.get, "/slow") }
        #expect(try await eventually { try await backend.runningStatements(containing: "slow") == 1 })
        let others = (0..<12).map { number in
          Task {
            number.isMultiple(of: 2)
              ? try await service.send(.get, "/t") : try await service.send(.post, "/t", body: #"{"id":1}"#)
          }
        }
        for other in others { try expectRefusal(try await other.value) }
        slow.cancel()
        await #expect(throws: CancellationError.self) { try await slow.value }
        for _ in 0..<5 { #expect(try await service.send(.get, "/t").text == "[]") }
      }
    }
  }

  @Test("Slow requests do not hold up quick ones while a connection is left")
  func slowOnes() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      try await PooledService.with(backend) {
        $0.maximumConnections = 3
      } _: { service async throws in
        let slow = (0..<2).map { _ in Task { try await service.send(.get, "/slow") } }
        #expect(try await eventually { try await backend.runningStatements(containing: "slow") == 2 })
        try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<50 { group.addTask { try await service.send(.get, "/t").status } }
          for try await status in group { #expect(status == 200) }
        }
        for task in slow { task.cancel() }
        for task in slow { await #expect(throws: CancellationError.self) { try await task.value } }
      }
    }
  }
}
