import Foundation
import PostgREST
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Sudden deaths")
struct DurabilityTests {
  enum Victim: String, CaseIterable { case backend, postgres }

  @Test(
    "Rows that were acknowledged while they came in by the hundred are there afterwards", arguments: Victim.allCases)
  func acknowledged(victim: Victim) async throws {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int primary key);", to: "supabase/migrations/1_t.sql")
    let first = try folder.swiftwater("start", "--port", "0")
    #expect(await first.serves(), "\(first.output)")
    let client = try first.client()
    let acknowledged = LockIsolated<Set<Int>>([])
    let writers = (0..<8).map { writer in
      Task {
        var id = writer
        while !Task.isCancelled {
          if (try? await client.from("t").insert(["id": id], returning: .minimal).execute()) != nil {
            acknowledged.withLock { _ = $0.insert(id) }
          }
          id += 8
        }
      }
    }
    #expect(await eventually(within: .seconds(120)) { acknowledged.withLock(\.count) > 200 })
    var serving = first
    switch victim {
    case .backend:
      first.send(SIGKILL)
      #expect(await first.status() == nil)
      for writer in writers { writer.cancel() }
      for writer in writers { await writer.value }
      serving = try folder.swiftwater("start", "--port", "0")
      #expect(await serving.serves(), "\(serving.output)")
    case .postgres:
      let file = try String(contentsOfFile: folder.path + "/.swiftwater/data/postmaster.pid", encoding: .utf8)
      kill(try #require(file.split(separator: "\n").first.flatMap { Int32($0) }), SIGKILL)
      // It goes on by itself.
      let before = acknowledged.withLock(\.count)
      #expect(await eventually(within: .seconds(120)) { acknowledged.withLock(\.count) > before + 100 })
      for writer in writers { writer.cancel() }
      for writer in writers { await writer.value }
    }
    let rows = try await serving.client().from("t").select("id").execute(as: [[String: Int]].self)
    let kept = Set(rows.value.compactMap { $0["id"] })
    #expect(acknowledged.withLock { $0.subtracting(kept) } == [])
    serving.send(SIGINT)
    #expect(await serving.status() == 0)
    #expect(await eventually { processes(mentioning: folder.path).isEmpty })
  }
}
