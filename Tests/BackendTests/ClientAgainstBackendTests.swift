import FoundationEssentials
import PostgREST
import SwiftwaterBackend
import TestSupport
import Testing

@Suite("The client against the backend")
struct ClientAgainstBackendTests {
  private struct Position: Codable, Equatable {
    var id: Int
    var label: String
    var latitude: Double
    var recordedAt: Date
    var tags: [String]
    var note: String?

    private enum CodingKeys: String, CodingKey {
      case id, label, latitude, tags, note
      case recordedAt = "recorded_at"
    }
  }

  private static let positions = """
    create table positions (id int primary key, label text, latitude float8, recorded_at timestamptz, tags text[], note text)
    """

  private func position(_ id: Int, label: String = "x") -> Position {
    Position(
      id: id, label: label, latitude: Double(id) / 3, recordedAt: Date(timeIntervalSince1970: 1_796_009_709.123456),
      tags: ["a,b", "c\"d", ""])
  }

  @Test("Rows go out and come back as they were")
  func roundTrip() async throws {
    try await TestBackend.with(Self.positions) { backend async throws in
      let client = backend.client
      let sent = [position(1, label: "naïve \"quoted\" \\ \u{1F6F6}"), position(2, label: "a&b=c;d'e--")]
      let returned: [Position] = try await client.from("positions").insert(sent).select().execute().value
      #expect(returned.map(\.label) == sent.map(\.label))
      let read: [Position] = try await client.from("positions").select().order("id").execute().value
      #expect(read.map(\.id) == [1, 2])
      #expect(read.map(\.tags) == sent.map(\.tags))
      #expect(read.map(\.latitude) == sent.map(\.latitude))
      for (one, other) in zip(read, sent) { #expect(abs(one.recordedAt.timeIntervalSince(other.recordedAt)) < 1e-6) }
      for row in sent {
        let found: [Position] = try await client.from("positions").select().eq("label", value: row.label).execute()
          .value
        #expect(found.map(\.id) == [row.id])
        let listed: [Position] = try await client.from("positions").select()
          .in("label", values: [row.label, "other"]).execute().value
        #expect(listed.map(\.id) == [row.id])
      }
    }
  }

  @Test("Rows of one insertion may lack what others have")
  func raggedRows() async throws {
    try await TestBackend.with(Self.positions) { backend in
      var second = position(2)
      second.note = "seen"
      let rows: [Position] = try await backend.client.from("positions").insert([position(1), second]).select()
        .execute().value
      #expect(rows.map(\.note) == [nil, "seen"])
    }
  }

  @Test("Filters, orders, pages and counts")
  func queries() async throws {
    try await TestBackend.with(Self.positions) { backend async throws in
      let table = backend.client.from("positions")
      try await table.insert((1...25).map { position($0) }).execute()
      let page = try await table.select("id", count: .exact).gt("id", value: 5).lte("id", value: 20)
        .is("note", value: nil).order("id", ascending: false).range(from: 5, to: 9)
        .execute(as: [[String: Int]].self)
      #expect(page.value.compactMap { $0["id"] } == [15, 14, 13, 12, 11])
      #expect(page.count == 15)
      #expect(page.status == 206)
      #expect(try await table.select(head: true, count: .exact).execute().count == 25)
    }
  }

  @Test("Changes and removals return their rows")
  func changes() async throws {
    try await TestBackend.with(Self.positions) { backend async throws in
      let table = backend.client.from("positions")
      try await table.insert((1...3).map { position($0) }).execute()
      let changed: [Position] = try await table.update(["note": "seen"]).gte("id", value: 2).execute().value
      #expect(changed.map(\.note) == ["seen", "seen"])
      let removed: [Position] = try await table.delete().eq("id", value: 3).execute().value
      #expect(removed.map(\.id) == [3])
      #expect(try await table.delete(returning: .minimal).neq("id", value: 0).execute().data.isEmpty)
      #expect(try await table.select(head: true, count: .exact).execute().count == 0)
    }
  }

  @Test("A refusal reaches the caller with PostgreSQL's words")
  func refusal() async throws {
    try await TestBackend.with(Self.positions) { backend async throws in
      let table = backend.client.from("positions")
      try await table.insert(position(1)).execute()
      let error = await #expect(throws: PostgrestError.self) { try await table.insert(position(1)).execute() }
      #expect(error?.code == .uniqueViolation)
      #expect(error?.details == "Key (id)=(1) already exists.")
      #expect(error?.status == 409)
      let unknown = await #expect(throws: PostgrestError.self) {
        try await backend.client.from("position").select().execute()
      }
      #expect(unknown?.code == .tableNotFound)
      #expect(unknown?.hint == "Perhaps you meant the table 'public.positions'")
    }
  }

  @Test("A hundred callers at once each get their own row")
  func concurrency() async throws {
    try await TestBackend.with(Self.positions) { backend async throws in
      let client = backend.client
      try await client.from("positions").insert((0..<100).map { position($0) }).execute()
      try await withThrowingTaskGroup(of: (Int, [Position]).self) { group in
        for id in 0..<100 {
          group.addTask { (id, try await client.from("positions").select().eq("id", value: id).execute().value) }
        }
        for try await (id, rows) in group { #expect(rows.map(\.id) == [id]) }
      }
    }
  }

  @Test("A call cancelled while PostgreSQL works throws CancellationError, and the next call works")
  func cancellation() async throws {
    try await TestBackend.with("create view slow as select pg_sleep(60)::text") { backend async throws in
      let client = backend.client
      let call = Task { try await client.from("slow").select().execute() }
      #expect(try await eventually { try await backend.runningStatements(containing: "slow") == 1 })
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await eventually { try await backend.runningStatements(containing: "slow") == 0 })
      #expect(try await client.from("slow").select(head: true).limit(0).execute().status == 200)
    }
  }
}
