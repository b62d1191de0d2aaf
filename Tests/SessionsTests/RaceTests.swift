import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("Races: what the program says is final", .timeLimit(.minutes(2)))
struct RaceTests {
  /// Begins a refresh and returns when its request is under way.
  private static func begin(_ world: World) async -> Task<Session, any Error> {
    world.server.gate.close()
    let caller = Task { try await world.manager.refresh() }
    #expect(await eventually { world.server.running == 1 })
    return caller
  }

  @Test("Signing out during a refresh: it is cancelled, and a late result revives nothing", arguments: 1...20)
  func signOut(round: Int) async throws {
    let world = try World(stored: Session(token: 1))
    let caller = await Self.begin(world)
    let events = world.manager.events().subscribe()
    // Both at once.
    async let opened: Void = world.server.gate.open()
    let last = try await world.manager.clear()
    await opened
    #expect(last != nil)
    let outcome = await code { try await caller.value }
    #expect(outcome == .absent || outcome == nil, "the refresh may have been faster")
    #expect(await eventually { world.manager.core.look { $0.flight == nil } && world.server.running == 0 })
    // Whoever held the turn has given it back.
    try await world.manager.core.turns.withLock {}
    #expect(world.manager.current == nil)
    #expect(try await world.stored == nil)
    var seen: [String] = []
    while let event = await events.next() {
      seen.append("\(event)")
      if case .ended = event { break }
    }
    #expect(seen.last == "ended (cleared)")
  }

  @Test("What a request has brought is set only if nobody has signed in or out, or renewed the credential, since")
  func snapshots() async throws {
    let world = try World(stored: Session(token: 1))
    let manager = world.manager
    var snapshot = try await manager.snapshot()
    #expect(snapshot.credential?.token == 1 && "\(snapshot)" == "present")
    try await manager.update { $0.user = "anna maria" }
    try await manager.set(Session(token: 10), replacing: snapshot)
    #expect(manager.current?.token == 10)
    #expect(await code { try await manager.set(Session(token: 11), replacing: snapshot) } == .superseded)

    let changes: [() async throws -> Void] = [
      { try await manager.refresh() }, { try await manager.clear() }, { try await manager.set(Session(token: 20)) },
    ]
    for change in changes {
      snapshot = try await manager.snapshot()
      try await change()
      let held = manager.current
      #expect(await code { try await manager.set(Session(token: 30), replacing: snapshot) } == .superseded)
      #expect(manager.current == held)
      #expect(try await world.stored == held)
    }
    try await manager.clear()
    snapshot = try await manager.snapshot()
    #expect(snapshot.credential == nil && "\(snapshot)" == "absent")
    try await manager.set(Session(token: 40), replacing: snapshot)
    #expect(manager.current?.token == 40)
  }

  @Test("A refresh that ignores its cancellation revives nothing either, nor does it overwrite a new session")
  func lateResult() async throws {
    let gate = Gate()
    gate.close()
    let isRunning = LockIsolated(false)
    let manager = CredentialManager(
      CredentialScheme<Session>(
        validity: { CredentialValidity(expiresAt: $0.expiresAt, lifetime: .seconds($0.lifetime)) },
        refresh: { session in
          isRunning.withLock { $0 = true }
          await Task { try? await gate.pass() }.value
          return Session(token: session.token + 1, user: session.user)
        },
        classify: { _ in .transient() }),
      store: MemoryCredentialStore(try Session(token: 1).bytes), date: { Epoch.date })
    let caller = Task { try await manager.refresh() }
    #expect(await eventually { isRunning.value })
    try await manager.clear()
    #expect(await code { try await caller.value } == .absent)
    try await manager.set(Session(token: 7, user: "berta"))
    gate.open()
    try await manager.core.turns.withLock {}
    #expect(manager.current?.user == "berta")
    #expect(try Session(await manager.core.store.load()).user == "berta")
    #expect(try await manager.credential().token == 7)
  }

  @Test("A refusal that is late ends no other session")
  func lateRefusal() async throws {
    let world = try World(stored: Session(token: 1))
    let caller = await Self.begin(world)
    world.server.fail(ServerError.status(400))
    try await world.manager.set(Session(token: 7, user: "berta"))
    world.server.gate.open()
    #expect(try await caller.value.user == "berta")
    try await world.manager.core.turns.withLock {}
    #expect(world.manager.current?.user == "berta")
    #expect(try await world.stored?.user == "berta")
  }

  @Test("Signing in during a refresh: those who wait get the new session at once", arguments: 1...20)
  func signIn(round: Int) async throws {
    let world = try World(stored: Session(token: 1))
    let caller = await Self.begin(world)
    async let opened: Void = world.server.gate.open()
    try await world.manager.set(Session(token: 7, user: "berta"))
    await opened
    let result = try await caller.value
    #expect(result.token == 7 || result.token == 2, "the refresh may have been faster")
    try await world.manager.core.turns.withLock {}
    #expect(world.manager.current?.user == "berta")
    #expect(try await world.stored?.user == "berta")
    #expect(try await world.manager.credential().token == 7)
  }

  @Test("Signing in with a session that has expired lets those who wait get its successor")
  func signInExpired() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    let caller = await Self.begin(world)
    try await world.manager.set(Session(token: 7, user: "berta", expiresIn: -1))
    world.server.gate.open()
    #expect(try await caller.value == world.manager.current)
    #expect(world.manager.current?.token == 8)
    #expect(try await world.stored?.token == 8)
  }

  @Test("An update during a refresh waits, and neither the tokens nor the update are lost", arguments: 1...20)
  func update(round: Int) async throws {
    let world = try World(stored: Session(token: 1))
    let caller = await Self.begin(world)
    let update = Task { try await world.manager.update { $0.user = "anna maria" } }
    #expect(await eventually { world.manager.core.turns.waitingCount == 1 })
    world.server.gate.open()
    _ = try await caller.value
    let updated = try await update.value
    #expect(updated.token == 2 && updated.user == "anna maria")
    #expect(world.manager.valid == updated)
    #expect(try await world.stored == updated)
  }

  @Test("An update that waits can be cancelled, and has changed nothing")
  func cancelledUpdate() async throws {
    let world = try World(stored: Session(token: 1))
    let caller = await Self.begin(world)
    let update = Task { try await world.manager.update { $0.user = "anna maria" } }
    #expect(await eventually { world.manager.core.turns.waitingCount == 1 })
    update.cancel()
    await #expect(throws: CancellationError.self) { try await update.value }
    world.server.gate.open()
    #expect(try await caller.value.user == "anna")
  }

  @Test("An update whose change throws changes nothing")
  func throwingUpdate() async throws {
    let world = try World(stored: Session(token: 1))
    await #expect(throws: ServerError.timeout) {
      try await world.manager.update { session in
        session.user = "berta"
        throw ServerError.timeout
      }
    }
    #expect(world.manager.current?.user == "anna")
    #expect(try await world.stored?.user == "anna")
  }

  @Test("Updates at once are all kept", arguments: 1...20)
  func updates(round: Int) async throws {
    let world = try World(stored: Session(token: 1, user: ""))
    let manager = world.manager
    try await withThrowingTaskGroup { group in
      for letter in "abcdefgh" {
        group.addTask { _ = try await manager.update { $0.user.append(letter) } }
      }
      group.addTask { _ = try await manager.refresh() }
      try await group.waitForAll()
    }
    #expect(Set(manager.current?.user ?? "") == Set("abcdefgh"))
    #expect(manager.current?.user.count == 8 && manager.current?.token == 2)
    #expect(try await world.stored == manager.current)
  }

  @Test(
    "Of sessions that are set and cleared at once the last one stands in memory and in the store", arguments: 1...20)
  func changes(round: Int) async throws {
    let world = try World(stored: Session(token: 1))
    let manager = world.manager
    try await withThrowingTaskGroup { group in
      for token in 100..<110 {
        group.addTask { try await manager.set(Session(token: token)) }
        group.addTask { _ = try? await manager.refresh() }
        group.addTask { _ = try await manager.clear() }
      }
      try await group.waitForAll()
    }
    try await manager.core.turns.withLock {}
    #expect(await eventually { manager.core.look { $0.unsaved == nil && !$0.isWriting } })
    #expect(try await world.stored == manager.current)
  }

  @Test("Two managers on one store spend each token once, and both know the newest", arguments: 1...20)
  func twoManagers(round: Int) async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    let other = CredentialManager(
      .session(world.server, world.clock), store: world.store, clock: world.clock, date: { Epoch.date })
    let first = world.manager
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask { try await first.credential().token }
        group.addTask { try await other.credential().token }
      }
      for try await token in group { #expect(token == 2) }
    }
    #expect(world.server.spent == [1])
  }

  @Test("What another manager has done is adopted at the next refresh, and at once on demand")
  func adoption() async throws {
    let world = try World(stored: Session(token: 1))
    let other = CredentialManager(
      .session(world.server, world.clock), store: world.store, clock: world.clock, date: { Epoch.date })
    #expect(try await world.manager.credential().token == 1)
    let events = world.manager.events().subscribe()
    #expect(try await other.refresh().token == 2)
    #expect(try await world.manager.refresh().token == 2)
    #expect(world.server.spent == [1])
    #expect(await events.next().map { "\($0)" } == "adopted")
    try await other.update { $0.user = "anna maria" }
    #expect(try await world.manager.reload()?.user == "anna maria")
    try await other.clear()
    #expect(try await world.manager.reload() == nil)
    guard case .absent(let end) = world.manager.state.latest else {
      Issue.record("not absent")
      return
    }
    #expect(end.reason == .removedElsewhere)
  }

  @Test(
    "Whatever two managers are asked to do at once, everybody gets an answer, and they end", arguments: 1...20,
    [false, true])
  func everything(round: Int, fails: Bool) async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    if fails { store.failNowAndThen() }
    let world = World(store: fails ? store : MemoryCredentialStore(store.content))
    let other = CredentialManager(
      .session(world.server, world.clock), store: world.store, clock: world.clock, date: { Epoch.date })
    world.manager.startAutoRefresh()
    await withTaskGroup { group in
      for number in 0..<40 {
        let manager = number.isMultiple(of: 2) ? world.manager : other
        group.addTask { _ = try? await manager.credential() }
        group.addTask { _ = try? await manager.refresh() }
        group.addTask { _ = try? await manager.credential(replacingIf: { $0.token.isMultiple(of: 2) }) }
        group.addTask { _ = try? await manager.update { $0.user = "\(number)" } }
        group.addTask { _ = try? await manager.reload() }
        group.addTask { _ = (manager.valid, manager.current) }
        group.addTask {
          if number.isMultiple(of: 9) { _ = try? await manager.clear() }
          try? await manager.set(Session(token: 1000 * number))
        }
        group.addTask {
          let task = Task { try await manager.refresh() }
          task.cancel()
          _ = await task.result
        }
      }
    }
    await world.manager.shutDown()
    await other.shutDown()
    for manager in [world.manager, other] {
      #expect(manager.core.look { $0.waiters.isEmpty && $0.flight == nil && !$0.isWriting && $0.wakeUp == nil })
      #expect(fails || manager.core.look { $0.unsaved == nil })
    }
  }

  @Test("Another manager signs out during a refresh: nothing is revived", arguments: 1...20)
  func signOutElsewhere(round: Int) async throws {
    let world = try World(stored: Session(token: 1))
    let other = CredentialManager(
      .session(world.server, world.clock), store: world.store, clock: world.clock, date: { Epoch.date })
    let caller = await Self.begin(world)
    // Does not wait for the refresh.
    try await other.clear()
    world.server.gate.open()
    #expect(await code { try await caller.value } == .absent)
    #expect(try await world.stored == nil)
    #expect(world.manager.current == nil)
  }

  @Test("Another manager signs in during a refresh that is refused: the new session stays, and is adopted")
  func signInElsewhere() async throws {
    let world = try World(stored: Session(token: 1))
    let other = CredentialManager(
      .session(world.server, world.clock), store: world.store, clock: world.clock, date: { Epoch.date })
    let caller = await Self.begin(world)
    world.server.fail(ServerError.status(401))
    try await other.set(Session(token: 7, user: "berta"))
    world.server.gate.open()
    #expect(try await caller.value.user == "berta")
    #expect(try await world.stored?.user == "berta")
    #expect(world.server.spent == [])
  }
}
