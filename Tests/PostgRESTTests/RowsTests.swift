import Foundation
import PostgREST
import PostgresTestSupport
import SwiftwaterBackend
import SwiftwaterStreams
import Testing

@Suite("Rows page by page")
struct RowsTests {
  private struct Row: Codable, Equatable {
    var id: Int
  }

  /// A table of numbered rows behind a server that gives at most so many at a time.
  private struct Table: ClientTransport {
    var count: Int
    var maximum = Int.max
    var tellsCount = false
    /// How many rows are left after the first request.
    var laterCount: Int?
    let asked = LockIsolated<[String]>([])

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
      let parts = URLComponents(string: "http://h" + request.path)
      func number(_ name: String) -> Int? {
        parts?.queryItems?.first { $0.name == name }?.value.flatMap { Int($0) }
      }
      let (offset, limit) = (number("offset") ?? 0, number("limit") ?? Int.max)
      let isFirst = asked.withLock { asked in
        asked.append("\(offset)+\(limit)")
        return asked.count == 1
      }
      let count = isFirst ? count : laterCount ?? count
      if tellsCount, offset > count {
        return (
          HTTPResponse(status: 416), HTTPBody(#"{"code":"PGRST103","message":"Requested range not satisfiable"}"#)
        )
      }
      let rows = (0..<count).dropFirst(offset).prefix(min(limit, maximum)).map { "{\"id\":\($0)}" }
      let range = "\(offset)-\(offset + rows.count - 1)/\(tellsCount ? "\(count)" : "*")"
      return (
        HTTPResponse(status: .ok, headerFields: [.contentRange: range]),
        HTTPBody("[\(rows.joined(separator: ","))]")
      )
    }

    var client: PostgrestClient {
      get throws {
        PostgrestClient(
          configuration: .init(url: try #require(URL(string: "http://h")), http: .init(transport: self)))
      }
    }
  }

  private func ids(_ rows: PageSequence<Row>) async throws -> [Int] {
    var ids: [Int] = []
    for try await row in rows { ids.append(row.id) }
    return ids
  }

  @Test("All rows come, page after page, and a page that is not full ends them")
  func all() async throws {
    let table = Table(count: 7)
    let found = try await ids(table.client.from("t").select().order("id").rows(pageSize: 3))
    #expect(found == Array(0..<7))
    #expect(table.asked.value == ["0+3", "3+3", "6+3"])
  }

  @Test("A server that gives fewer rows at a time than asked for loses none")
  func cappedServer() async throws {
    let table = Table(count: 7, maximum: 2)
    #expect(try await ids(table.client.from("t").select().order("id").rows(pageSize: 5)) == Array(0..<7))
    #expect(table.asked.value == ["0+5", "2+5", "4+5", "6+5"])
    let small = Table(count: 2)
    #expect(try await ids(small.client.from("t").select().order("id").rows(pageSize: 5)) == [0, 1])
    #expect(small.asked.value == ["0+5", "2+5"])
  }

  @Test("An exact count ends the rows without a further request")
  func counted() async throws {
    let table = Table(count: 6, tellsCount: true)
    #expect(
      try await ids(table.client.from("t").select(count: .exact).order("id").rows(pageSize: 3)) == Array(0..<6))
    #expect(table.asked.value == ["0+3", "3+3"])
    // An estimate would be no ground to stop.
    let estimated = Table(count: 6, tellsCount: true)
    _ = try await ids(estimated.client.from("t").select(count: .estimated).order("id").rows(pageSize: 3))
    #expect(estimated.asked.value == ["0+3", "3+3", "6+3"])
  }

  @Test("Limit and offset bound the whole")
  func bounds() async throws {
    let table = Table(count: 9)
    let query = try table.client.from("t").select().order("id").limit(5).offset(2)
    #expect(try await ids(query.rows(pageSize: 3)) == [2, 3, 4, 5, 6])
    #expect(table.asked.value == ["2+3", "5+2"])
  }

  @Test("Rows that go meanwhile end the pages; an offset that never had any is an error")
  func vanished() async throws {
    let table = Table(count: 9, tellsCount: true, laterCount: 2)
    #expect(try await ids(table.client.from("t").select(count: .exact).order("id").rows(pageSize: 3)) == [0, 1, 2])
    #expect(table.asked.value == ["0+3", "3+3"])
    let empty = Table(count: 0, tellsCount: true)
    let query = try empty.client.from("t").select(count: .exact).order("id")
    #expect(try await ids(query.rows()) == [])
    let error = await #expect(throws: PostgrestError.self) { try await ids(query.offset(5).rows()) }
    #expect(error?.code == .rangeNotSatisfiable)
  }

  @Test("Pages without an order, of a change, or of no size are refused before anything is sent")
  func refusals() async throws {
    let table = Table(count: 3)
    let client = try table.client
    let sequences: [PageSequence<Row>] = [
      client.from("t").select().rows(), client.from("t").select().order("id").rows(pageSize: 0),
      client.from("t").delete().order("id").rows(), client.rpc("f").order("id").rows(),
      client.from("t").select().order("id").single().rows(), client.from("t").select().order("id").explain().rows(),
    ]
    for sequence in sequences {
      let error = await #expect(throws: PostgrestError.self) { try await ids(sequence) }
      #expect(error?.kind == .invalidRequest)
    }
    #expect(table.asked.value == [])
    #expect(try await ids(client.rpc("f", get: true).order("id").rows()) == [0, 1, 2])
  }

  @Test("Rows decode on the actor that iterates")
  @MainActor
  func isolation() async throws {
    var sum = 0
    for try await row in try Table(count: 4).client.from("t").select().order("id").rows(
      as: MainActorRow.self, pageSize: 2)
    {
      sum += row.id
    }
    #expect(sum == 6)
  }

  @Test("A cancelled loop throws CancellationError")
  func cancellation() async throws {
    let client = try Table(count: .max).client
    let loop = Task {
      for try await row in client.from("t").select().order("id").limit(Int.max).rows(as: Row.self, pageSize: 1)
      where row.id == 2 {
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
    await #expect(throws: CancellationError.self) { try await loop.value }
  }

  @Test("Rows of the backend, page by page")
  func live() async throws {
    try await SharedCluster.withDatabase { url in
      let backend = try await LocalBackend.start(.init(storage: .database(url), preparesDatabase: true))
      do {
        try await backend.execute("create table t (id int primary key); insert into t select generate_series(1, 25)")
        let client = PostgrestClient(
          configuration: .init(url: backend.restURL, headers: [.apikey: backend.serviceRoleKey]))
        let query = client.from("t").select(count: .exact).gt("id", value: 3).order("id", ascending: false)
        #expect(try await ids(query.rows(pageSize: 11)) == Array((4...25).reversed()))
        let pages = try await query.rows(as: Row.self, pageSize: 11).pages.reduce(into: []) { $0.append($1.count) }
        #expect(pages == [11, 11])
      } catch {
        Issue.record(error)
      }
      await backend.stop()
    }
  }
}
