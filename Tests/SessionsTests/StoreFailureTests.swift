import Foundation
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("Stores that fail")
struct StoreFailureTests {
  @Test("A session that the store does not take holds in memory, is told of, and is stored as soon as that works")
  func signIn() async throws {
    let store = FaultyStore()
    store.fail(saves: 3)
    let world = World(store: store)
    let events = world.manager.events().subscribe()
    #expect(await code { try await world.manager.set(Session(token: 1)) } == .storeUnwritable)
    #expect(try await world.manager.credential().token == 1)
    guard case .present(_, let trouble?) = world.manager.state.latest else {
      Issue.record("no trouble")
      return
    }
    #expect(trouble.code == .storeUnwritable)
    for wait in [1, 2, 4] {
      await world.clock.waitForSleeps(1)
      #expect(world.clock.timeToNextSleepEnd == .seconds(wait))
      world.clock.advance(by: .seconds(wait))
    }
    #expect(await eventually { store.content != nil })
    #expect(try await world.stored?.token == 1)
    #expect(await eventually { world.manager.core.look { $0.storeTrouble == nil } })
    var seen: [String] = []
    for _ in 0..<4 { await events.next().map { seen.append(String("\($0)".prefix(11))) } }
    #expect(seen == ["set", "storeFailed", "storeFailed", "storeFailed"])
  }

  @Test("A renewed session that the store does not take serves those who wait, and is stored later")
  func refresh() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    let world = World(store: store)
    #expect(try await world.manager.load()?.token == 1)
    store.fail(saves: 1)
    #expect(try await world.manager.refresh().token == 2)
    #expect(try Session(store.content).token == 1)
    // The next one does not take what is in the store for somebody else's.
    #expect(try await world.manager.refresh().token == 3)
    #expect(try Session(store.content).token == 3)
    #expect(world.server.spent == [1, 2])
    world.clock.advance(by: .seconds(10))
    #expect(world.manager.core.look { $0.unsaved == nil })
  }

  @Test("A session that cannot be removed is gone in memory, the caller is told, and it is removed later")
  func signOut() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    let world = World(store: store)
    #expect(try await world.manager.load()?.token == 1)
    store.fail(saves: 1)
    #expect(await code { try await world.manager.clear() } == .storeUnwritable)
    #expect(world.manager.current == nil)
    #expect(try await world.manager.reload() == nil, "what is still there is not taken for a new one")
    await world.clock.waitForSleeps(1)
    world.clock.advance(by: .seconds(1))
    #expect(await eventually { store.content == nil })
  }

  @Test("A change that is not stored holds, and is stored later")
  func update() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    let world = World(store: store)
    #expect(try await world.manager.load()?.token == 1)
    store.fail(saves: 1)
    #expect(await code { try await world.manager.update { $0.user = "anna maria" } } == .storeUnwritable)
    #expect(world.manager.current?.user == "anna maria")
    await world.clock.waitForSleeps(1)
    world.clock.advance(by: .seconds(1))
    #expect(await eventually { (try? Session(store.content).user) == "anna maria" })
  }

  @Test("A store may be an actor")
  func actorStore() async throws {
    let store = ActorStore()
    let world = World(store: store)
    try await world.manager.set(Session(token: 1))
    #expect(try await world.manager.refresh().token == 2)
    try await world.manager.clear()
    #expect(await store.load() == nil)
  }

  @Test("A store that cannot be read is told of once, however often somebody looks at what is in memory")
  func unreadableFile() async throws {
    let folder = try TestFolder()
    let world = World(store: FileCredentialStore(folder: folder.path, key: "session"))
    try Array("<html>".utf8).withUnsafeBytes { try Data($0).write(to: URL(filePath: "\(folder.path)/session")) }
    let events = world.manager.events().subscribe()
    for _ in 0..<3 { #expect(world.manager.current == nil) }
    try await world.manager.set(Session(token: 1))
    #expect(world.manager.current?.token == 1)
    #expect(await events.next().map { "\($0)".hasPrefix("storeFailed (undecodable") } == true)
    #expect(await events.next().map { "\($0)" } == "set")
  }

  @Test("A store that cannot be read is an error, not a sign-out, and the next who asks reads again")
  func unreadable() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    store.fail(loads: 2)
    let world = World(store: store)
    #expect(await code { try await world.manager.credential() } == .storeUnreadable)
    #expect(await code { try await world.manager.load() } == .storeUnreadable)
    #expect(try await world.manager.credential().token == 1)
    #expect(store.saves == 0)
  }

  @Test("A session in memory is renewed although the store cannot be read")
  func unreadableLater() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    let world = World(store: store)
    #expect(try await world.manager.load()?.token == 1)
    store.fail(loads: 1)
    #expect(try await world.manager.refresh().token == 2)
    #expect(try Session(store.content).token == 2)
    store.fail(loads: 1)
    #expect(await code { try await world.manager.reload() } == .storeUnreadable)
    #expect(world.manager.valid?.token == 2)
  }

  @Test("Bytes that are no session are an error and stay, until one is set", arguments: ["", "{", "<html>", "\u{0}"])
  func garbage(text: String) async throws {
    let store = FaultyStore(Array(text.utf8))
    let world = World(store: store)
    #expect(await code { try await world.manager.credential() } == .undecodable)
    #expect(await code { try await world.manager.load() } == .undecodable)
    #expect(store.content == Array(text.utf8))
    guard case .unread(let error?) = world.manager.state.latest else {
      Issue.record("\(String(describing: world.manager.state.latest))")
      return
    }
    #expect(error.code == .undecodable)
    try await world.manager.set(Session(token: 5))
    #expect(try Session(store.content).token == 5)
  }

  @Test("Bytes that turn into none under way lose nothing: the session in memory is renewed, and heals the store")
  func garbageLater() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    let world = World(store: store)
    #expect(try await world.manager.load()?.token == 1)
    try await store.save(Array("<html>".utf8))
    #expect(try await world.manager.refresh().token == 2)
    #expect(try Session(store.content).token == 2)
  }

  @Test("A refusal ends the session even if the store does not take that; it is removed later")
  func refusal() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    let world = World(store: store)
    #expect(try await world.manager.load()?.token == 1)
    store.fail(saves: 1)
    world.server.fail(ServerError.status(401))
    #expect(await code { try await world.manager.refresh() } == .refused)
    #expect(world.manager.current == nil)
    await world.clock.waitForSleeps(1)
    world.clock.advance(by: .seconds(1))
    #expect(await eventually { store.content == nil })
  }

  @Test("A credential that cannot be encoded is an error before anything changes; a renewed one serves from memory")
  func unencodable() async throws {
    let manager = CredentialManager(
      CredentialScheme<Session>(
        encode: { session in
          guard session.token < 2 else { throw ServerError.notJSON("secret-2") }
          return try session.bytes
        },
        decode: { try Session($0) },
        validity: { CredentialValidity(expiresAt: $0.expiresAt, lifetime: .seconds($0.lifetime)) },
        refresh: { Session(token: $0.token + 1) }, classify: { _ in .transient() }),
      store: FaultyStore(try Session(token: 1).bytes), date: { Epoch.date })
    #expect(await code { try await manager.set(Session(token: 9)) } == .unencodable)
    #expect(try await manager.load()?.token == 1)
    #expect(try await manager.refresh().token == 2)
    #expect(manager.valid?.token == 2)
    guard case .present(_, let trouble?) = manager.state.latest else {
      Issue.record("no trouble")
      return
    }
    #expect(trouble.code == .unencodable)
  }
}
