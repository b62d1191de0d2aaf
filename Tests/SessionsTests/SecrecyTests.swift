import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("Secrets stay where they are")
struct SecrecyTests {
  private final class Records: ClientLogHandler {
    let lines = LockIsolated<[String]>([])
    func log(_ record: LogRecord) {
      lines.withLock { $0.append("\(record.message) \(record.metadata.sorted { $0.key < $1.key })") }
    }
  }

  private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJlLXNlY3JldA"

  private struct Refusal: Error, CustomStringConvertible {
    var description: String {
      "Invalid refresh_token=\(SecrecyTests.token)\nAuthorization: Bearer \(SecrecyTests.token)"
    }
  }

  private static func everything(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return "\(value) \(String(reflecting: value)) \(dumped)"
  }

  @Test("No state, event, error, log record, store or manager shows a credential")
  func secrecy() async throws {
    let records = Records()
    let store = MemoryCredentialStore()
    var configuration = CredentialConfiguration()
    configuration.attempts = 1
    configuration.logger = ClientLogger(label: "test", level: .trace, handler: records)
    let manager = CredentialManager(
      CredentialScheme<String>(
        validity: { _ in nil }, refresh: { _ in throw Refusal() },
        classify: { _ in records.lines.value.isEmpty ? .transient() : .refused }),
      store: store, configuration: configuration)
    let events = manager.events().subscribe()
    var shown: [String] = []
    try await manager.set(Self.token)
    shown.append(Self.everything(manager.state.latest as Any))
    shown.append(Self.everything(store))
    shown.append(Self.everything(manager))
    records.lines.withLock { $0 = [] }
    let transient = await #expect(throws: CredentialError.self) { try await manager.refresh() }
    shown.append(Self.everything(manager.state.latest as Any))
    let final = await #expect(throws: CredentialError.self) { try await manager.refresh() }
    shown.append(Self.everything(manager.state.latest as Any))
    #expect(transient?.code == .refreshFailed && final?.code == .refused)
    shown += [transient, final].map { "\($0 as Any) \($0?.errorDescription ?? "")" }
    for _ in 0..<3 { if let event = await events.next() { shown.append(Self.everything(event)) } }
    shown += records.lines.value
    #expect(records.lines.value.count >= 2)
    #expect(shown.count >= 10)
    for text in shown {
      #expect(!text.contains("c2lnbmF0dXJl") && !text.contains("eyJzdWIi"), "\(text)")
    }
    // The server's own words are there.
    #expect(transient?.message.contains("Invalid refresh_token=") == true)
  }

  @Test("A store's own words are quoted without secrets")
  func store() async throws {
    let store = FaultyStore()
    store.fail(saves: 1)
    let world = World(store: store)
    let error = await #expect(throws: CredentialError.self) { try await world.manager.set(Session(token: 1)) }
    #expect(error?.message.contains("No space left on device") == true)
    #expect(error?.message.contains("secret-1") == false)
  }
}
