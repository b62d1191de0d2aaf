import Foundation
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("The store in a file")
struct FileStoreTests {
  private let folder: TestFolder
  private let store: FileCredentialStore

  init() throws {
    folder = try TestFolder()
    store = FileCredentialStore(folder: folder.path, key: "sb-demo-auth-token")
  }

  @Test("What is saved is read, by others too, replaced as a whole, and removed")
  func roundTrip() async throws {
    let other = FileCredentialStore(folder: "\(folder.path)//", key: "sb-demo-auth-token")
    #expect(try await store.load() == nil)
    try await store.save([1, 2, 3])
    #expect(try await other.load() == [1, 2, 3])
    #expect(try other.loadImmediately() == [1, 2, 3])
    try await other.save([4])
    #expect(try await store.load() == [4])
    try await store.remove()
    try await store.remove()
    #expect(try await other.load() == nil)
    #expect(try folder.names == ["sb-demo-auth-token.lock"])
  }

  @Test("Callers that cannot suspend write and remove as well, and wait for others who write")
  func immediately() async throws {
    try store.replaceImmediately([1, 2])
    #expect(try await store.load() == [1, 2])
    try store.replaceImmediately(nil)
    #expect(try await store.load() == nil)
    let lock = try await FileLock.acquire("\(store.path).lock", timeout: .seconds(1))
    #expect(throws: CredentialError.self) { try store.replaceImmediately([3]) }
    lock.release()
    #expect(try store.loadImmediately() == nil)
    try store.replaceImmediately([3])
    #expect(try store.loadImmediately() == [3])
  }

  @Test("A swap takes place only if the file holds what is expected")
  func swap() async throws {
    #expect(try await store.compareAndSwap([1], [2]) == false)
    #expect(try await store.compareAndSwap(nil, [1]))
    #expect(try await store.compareAndSwap(nil, [2]) == false)
    #expect(try await store.compareAndSwap([1], [2]))
    #expect(try await store.load() == [2])
    #expect(try await store.compareAndSwap([2], nil))
    #expect(try await store.load() == nil)
  }

  @Test("Of many who swap at once one wins", arguments: 1...20)
  func swaps(round: Int) async throws {
    let store = store
    try await store.save([0])
    let wins = try await withThrowingTaskGroup { group in
      for number in 1...8 { group.addTask { try await store.compareAndSwap([0], [UInt8(number)]) } }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wins == 1)
  }

  @Test("A reader sees the old content or the new one, never anything between")
  func atomicity() async throws {
    let store = store
    let (small, large) = ([UInt8](repeating: 1, count: 10), [UInt8](repeating: 2, count: 200_000))
    try await store.save(small)
    try await withThrowingTaskGroup { group in
      group.addTask { for round in 0..<20 { try await store.save(round.isMultiple(of: 2) ? large : small) } }
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<200 {
            let content = try await store.load()
            #expect(content == small || content == large)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("Only the owner may read the file, its locks and a folder made for it")
  func permissions() async throws {
    let store = FileCredentialStore(folder: "\(folder.path)/a/b", key: "session")
    #expect(try await store.load() == nil)
    #expect(try folder.names == [], "reading makes nothing")
    try await store.withExclusiveAccess { try await store.save([1]) }
    for name in ["session", "session.lock", "session.turn"] { #expect(try folder.mode(of: "a/b/\(name)") == 0o600) }
    #expect(try folder.mode(of: "a") == 0o700)
    #expect(try folder.mode(of: "a/b") == 0o700)
  }

  @Test("A copy that is open to others is closed to them when it is read")
  func openCopy() async throws {
    try Data([1]).write(to: URL(filePath: store.path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: store.path)
    #expect(try await store.load() == [1])
    #expect(try folder.mode(of: "sb-demo-auth-token") == 0o600)
  }

  @Test(
    "Keys lead nowhere else",
    arguments: [
      ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"), ("a b\n\u{0}", "a%20b%0A%00"), ("", "%"), (".", "%2E"),
      ("sb-x-auth-token", "sb-x-auth-token"), ("é", "%C3%A9"), ("a.json", "a.json"),
    ])
  func keys(key: String, name: String) throws {
    #expect(FileCredentialStore(folder: "/tmp/x", key: key).path == "/tmp/x/\(name)")
  }

  @Test("What a crash has left beside the file does no harm")
  func leftovers() async throws {
    try Data([9, 9, 9]).write(to: URL(filePath: "\(store.path).new"))
    try await store.save([1])
    #expect(try await store.load() == [1])
    #expect(try folder.names == ["sb-demo-auth-token", "sb-demo-auth-token.lock"])
  }

  @Test("A link in the place of what is written is not followed")
  func links() async throws {
    let victim = "\(folder.path)/victim"
    try Data([7]).write(to: URL(filePath: victim))
    for name in [".new", ""] {
      try FileManager.default.createSymbolicLink(atPath: "\(store.path)\(name)", withDestinationPath: victim)
    }
    try await store.save([1])
    #expect(try Data(contentsOf: URL(filePath: victim)) == Data([7]))
    #expect(try await store.load() == [1])
    try FileManager.default.removeItem(atPath: "\(store.path).lock")
    try FileManager.default.createSymbolicLink(atPath: "\(store.path).lock", withDestinationPath: victim)
    #expect(await code { try await store.save([2]) } == .storeUnwritable)
  }

  @Test("What is no file, or far too large, is an error and no absence")
  func noFile() async throws {
    try FileManager.default.createDirectory(atPath: store.path, withIntermediateDirectories: false)
    #expect(await code { try await store.load() } == .storeUnreadable)
    try FileManager.default.removeItem(atPath: store.path)
    #expect(mkfifo(store.path, 0o600) == 0)
    #expect(await code { try await store.load() } == .storeUnreadable)
    try FileManager.default.removeItem(atPath: store.path)
    try Data(count: 1 << 21).write(to: URL(filePath: store.path))
    #expect(await code { try await store.load() } == .storeUnreadable)
    let inFile = FileCredentialStore(folder: store.path, key: "session")
    #expect(await code { try await inFile.load() } == .storeUnreadable)
    #expect(await code { try await inFile.save([1]) } == .storeUnwritable)
  }

  @Test("Where nothing can be written, a refresh still has its turn")
  func unwritable() async throws {
    try Data().write(to: URL(filePath: store.path))
    let inFile = FileCredentialStore(folder: store.path, key: "session")
    #expect(try await inFile.withExclusiveAccess { 1 } == 1)
  }

  @Test("Those who want exclusive access take turns, while others save")
  func turns() async throws {
    let store = store
    let impatient = FileCredentialStore(folder: folder.path, key: "sb-demo-auth-token", lockTimeout: .zero)
    try await store.withExclusiveAccess {
      #expect(await code { try await impatient.withExclusiveAccess {} } == .storeBusy)
      try await impatient.save([1])
      let waiting = Task { try await store.withExclusiveAccess {} }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
    }
    try await impatient.withExclusiveAccess {}
  }

  @Test("A turn is given back when its work throws")
  func throwing() async throws {
    await #expect(throws: ServerError.timeout) { try await store.withExclusiveAccess { throw ServerError.timeout } }
    try await store.withExclusiveAccess {}
  }

  @Test("A manager with a store that can be read at once knows its credential from the start")
  func current() async throws {
    try await store.save(Session(token: 3).bytes)
    let world = World(store: store)
    #expect(world.manager.current?.token == 3)
    #expect(world.manager.state.latest?.credential?.token == 3)
    let other = World(store: FaultyStore(try Session(token: 3).bytes))
    #expect(other.manager.current == nil)
    #expect(try await other.manager.load()?.token == 3)
    #expect(other.manager.current?.token == 3)
  }
}
