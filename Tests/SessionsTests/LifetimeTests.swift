import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("The end of a manager")
struct LifetimeTests {
  @Test("A released manager stops its work, ends its sequences, and everything goes")
  func release() async throws {
    let clock = ManualClock()
    weak var core: CredentialCore<Session>?
    let server = Server()
    let states: StateStream<CredentialState<Session>, Never>
    do {
      let manager = CredentialManager(
        .session(server, clock), store: MemoryCredentialStore(try Session(token: 1).bytes), clock: clock,
        date: { Epoch.date })
      core = manager.core
      states = manager.state
      manager.startAutoRefresh()
      await clock.waitForSleeps(1)
    }
    #expect(await eventually { clock.pendingSleeps == 0 })
    for await _ in states {}
    #expect(await eventually { core == nil })
    clock.advance(by: .seconds(10_000))
    #expect(server.spent == [])
  }

  @Test("A refresh that is under way when the manager is released is finished and stored: its token is spent")
  func releaseDuringRefresh() async throws {
    let (server, clock) = (Server(), ManualClock())
    let store = MemoryCredentialStore(try Session(token: 1, expiresIn: -1).bytes)
    weak var core: CredentialCore<Session>?
    server.gate.close()
    do {
      let manager = CredentialManager(.session(server, clock), store: store, clock: clock, date: { Epoch.date })
      core = manager.core
      manager.startAutoRefresh()
      #expect(await eventually { server.running == 1 })
    }
    #expect(core != nil)
    server.gate.open()
    #expect(await eventually { (try? Session(store.loadImmediately()).token) == 2 })
    #expect(await eventually { core == nil })
    #expect(server.cancelled == 0)
  }

  @Test("Shutting down waits for the refresh under way, serves its waiters, and refuses everything new")
  func shutDown() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.gate.close()
    let caller = Task { try await world.manager.credential() }
    #expect(await eventually { world.server.running == 1 })
    let end = Task { await world.manager.shutDown() }
    #expect(await eventually { world.manager.core.look { $0.isRetired } })
    #expect(world.server.running == 1)
    world.server.gate.open()
    await end.value
    #expect(try await caller.value.token == 2)
    #expect(try await world.stored?.token == 2)
    world.clock.advance(by: .seconds(3600))
    #expect(await code { try await world.manager.credential() } == .shutDown)
    #expect(await code { try await world.manager.set(Session(token: 9)) } == .shutDown)
    #expect(await code { try await world.manager.clear() } == .shutDown)
    #expect(await code { try await world.manager.update { $0.user = "berta" } } == .shutDown)
    #expect(await code { try await world.manager.reload() } == .shutDown)
    let stored = try await world.stored
    #expect(stored?.token == 2 && stored?.user == "anna")
    world.manager.startAutoRefresh()
    #expect(world.clock.pendingSleeps == 0)
    await world.manager.shutDown()
  }

  @Test("Shutting down does not wait for further attempts: who waits for them is told")
  func shutDownBetweenAttempts() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.fail(ServerError.noNetwork)
    let caller = Task { try await world.manager.credential() }
    await world.clock.waitForSleeps(1)
    await world.manager.shutDown()
    #expect(await code { try await caller.value } == .shutDown)
    #expect(await eventually { world.clock.pendingSleeps == 0 })
    #expect(world.server.spent == [])
  }

  @Test("Shutting down returns when its task is cancelled, and the refresh goes on")
  func cancelledShutDown() async throws {
    let world = try World(stored: Session(token: 1))
    world.server.gate.close()
    let caller = Task { try await world.manager.refresh() }
    #expect(await eventually { world.server.running == 1 })
    let end = Task { await world.manager.shutDown() }
    end.cancel()
    await end.value
    world.server.gate.open()
    #expect(try await caller.value.token == 2)
  }

  @Test("Shutting down tries once more to store what is not stored yet")
  func unsaved() async throws {
    let store = FaultyStore()
    store.fail(saves: 1)
    let world = World(store: store)
    #expect(await code { try await world.manager.set(Session(token: 1)) } == .storeUnwritable)
    await world.manager.shutDown()
    #expect(try await world.stored?.token == 1)
    #expect(await eventually { world.clock.pendingSleeps == 0 })
  }

  @Test("States and events are told in the order in which things happened")
  func order() async throws {
    let world = World()
    let events = world.manager.events().subscribe()
    try await world.manager.set(Session(token: 1))
    #expect(world.manager.state.latest?.credential?.token == 1, "told before the call returns")
    try await world.manager.refresh()
    #expect(world.manager.state.latest?.credential?.token == 2)
    try await world.manager.update { $0.user = "anna maria" }
    try await world.manager.clear(CredentialEnd.Reason(rawValue: "userDeleted"))
    await world.manager.shutDown()
    var seen: [String] = []
    while let event = await events.next() { seen.append("\(event)") }
    #expect(seen == ["set", "refreshed", "updated", "ended (userDeleted)"])
  }
}
