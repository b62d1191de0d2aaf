import Foundation
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("Several processes")
struct ProcessTests {
  private let folder: TestFolder
  private let store: FileCredentialStore

  init() throws {
    folder = try TestFolder()
    store = FileCredentialStore(folder: folder.path, key: "session")
  }

  private var spent: [Int] {
    get throws { try folder.names.compactMap { $0.hasPrefix("spent-") ? Int($0.dropFirst(6)) : nil }.sorted() }
  }

  /// What a child stores has today's date.
  private func signIn(token: Int) async throws {
    var session = Session(token: token)
    session.expiresAt = Date().addingTimeInterval(3600)
    try await store.save(session.bytes)
  }

  private func manager(
    store: FileCredentialStore? = nil, refresh: @escaping @Sendable (Session) async throws -> Session
  ) -> CredentialManager<Session> {
    var configuration = CredentialConfiguration()
    configuration.attempts = 1
    configuration.logger = .disabled
    return CredentialManager(
      CredentialScheme(
        validity: { CredentialValidity(expiresAt: $0.expiresAt, lifetime: .seconds($0.lifetime)) }, refresh: refresh,
        classify: { $0 is ServerError ? .refused : .transient() }),
      store: store ?? self.store, configuration: configuration)
  }

  @Test("Processes that race spend each refresh token once, and none loses the session")
  func race() async throws {
    try await signIn(token: 1)
    let children = try (1...4).map { _ in try ChildProgram("session-child", [folder.path, "refresh", "10"]) }
    for child in children {
      #expect(await child.status() == 0)
      #expect(child.output == "done\n")
    }
    let last = try #require(try spent.last)
    #expect(try spent == Array(1...last))
    #expect(last >= 10)
    #expect(try Session(await store.load()).token == last + 1)
  }

  @Test("A process that is killed between the server's rotation and the save keeps nobody waiting")
  func killed() async throws {
    try await signIn(token: 1)
    let child = try ChildProgram("session-child", [folder.path, "hang"])
    #expect(await child.writes("rotated"))
    // It has the turn.
    let impatient = FileCredentialStore(folder: folder.path, key: "session", lockTimeout: .zero)
    #expect(await code { try await impatient.withExclusiveAccess {} } == .storeBusy)
    child.send(SIGKILL)
    #expect(await eventually { !child.isRunning })
    #expect(try Session(await store.load()).token == 1, "the old session is whole")
    // A server that gives the successor of a token again to who has not got it.
    let launched = manager { Session(token: $0.token + 1, expiresIn: 1e9) }
    #expect(try await launched.refresh().token == 2)
    #expect(try Session(await store.load()).token == 2)
  }

  @Test("If the server does not forgive the lost answer, the session ends with that reason, and not silently")
  func killedAndRefused() async throws {
    try await signIn(token: 1)
    let child = try ChildProgram("session-child", [folder.path, "hang"])
    #expect(await child.writes("rotated"))
    child.send(SIGKILL)
    #expect(await eventually { !child.isRunning })
    let launched = manager { _ in throw ServerError.status(400) }
    #expect(await code { try await launched.refresh() } == .refused)
    guard case .absent(let end) = launched.state.latest else {
      Issue.record("not absent")
      return
    }
    #expect(end.reason == .refused && end.cause as? ServerError == .status(400))
  }

  @Test("While another process waits for its server, signing out takes no longer, and refreshing fails in good time")
  func hanging() async throws {
    try await signIn(token: 1)
    let child = try ChildProgram("session-child", [folder.path, "hang"])
    defer { child.send(SIGKILL) }
    #expect(await child.writes("rotated"))
    let requests = LockIsolated(0)
    let other = manager(store: FileCredentialStore(folder: folder.path, key: "session", lockTimeout: .zero)) {
      session in
      requests.withLock { $0 += 1 }
      return session
    }
    #expect(await code { try await other.refresh() } == .storeBusy)
    #expect(requests.value == 0, "nothing was spent")
    #expect(try await other.credential().token == 1, "the session is kept")
    try await other.clear()
    #expect(try await store.load() == nil)
  }

  @Test("On a disk that is full the session holds in memory, the caller is told, and the old file is whole")
  func fullDisk() async throws {
    try await signIn(token: 7)
    let before = try await store.load()
    let program = Bundle.main.bundleURL.appending(path: "session-child").path
    // A limit on the size of files is what every process can have of a full disk.
    let child = try ChildProgram(
      "/bin/sh", ["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$1\" save", program, folder.path])
    #expect(await child.status() == 0)
    #expect(child.output.contains("failed: storeUnwritable"), "\(child.output)")
    #expect(child.output.contains("File too large") && child.output.contains("in memory: 1"), "\(child.output)")
    #expect(try await store.load() == before)
    #expect(try folder.names == ["session", "session.lock"])
  }
}
