import FoundationEssentials
import SwiftwaterBackend
import TestSupport
import Testing

@Suite("Starting and stopping within one process")
struct LifecycleTests {
  @Test("A start that is cancelled while the database is prepared leaves the folder free")
  func cancelledStart() async throws {
    let folder = "/tmp/swiftwater-test-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let first = Task { try await LocalBackend.start(.init(storage: .folder(folder))) }
    let isRunning = await eventually(within: .seconds(120)) {
      let file = FileManager.default.contents(atPath: "\(folder)/data/postmaster.pid") ?? Data()
      return String(decoding: file, as: UTF8.self).contains("ready")
    }
    #expect(isRunning)
    first.cancel()
    if case .success(let backend) = await first.result { await backend.stop() }
    let second = try await LocalBackend.start(.init(storage: .folder(folder)))
    await second.stop()
  }
}
