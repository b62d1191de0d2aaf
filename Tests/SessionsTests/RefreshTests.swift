import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("One refresh for all")
struct RefreshTests {
  @Test("A thousand callers at the moment of expiry share one refresh")
  func thousand() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.gate.close()
    let manager = world.manager
    let tokens = try await withThrowingTaskGroup { group in
      for _ in 0..<1000 { group.addTask { try await manager.credential().token } }
      #expect(await eventually { manager.core.look { $0.waiters.count } == 1000 && world.server.running == 1 })
      world.server.gate.open()
      var tokens: [Int] = []
      for try await token in group { tokens.append(token) }
      return tokens
    }
    #expect(tokens == Array(repeating: 2, count: 1000))
    #expect(world.server.spent == [1])
    #expect(try await world.stored?.token == 2)
  }

  @Test("What needs no refresh is there at once, and nobody is asked")
  func fresh() async throws {
    let world = try World(stored: Session(token: 1))
    #expect(world.manager.valid == nil, "nobody has read the store")
    #expect(try await world.manager.credential().token == 1)
    #expect(world.manager.valid?.token == 1)
    world.clock.advance(by: .seconds(3569))
    #expect(world.manager.valid?.token == 1)
    world.clock.advance(by: .seconds(1))
    #expect(world.manager.valid == nil)
    #expect(world.server.spent == [])
    #expect(try await world.manager.credential().token == 2)
    #expect(world.manager.valid?.token == 2)
  }

  @Test("A cancelled waiter returns at once, and neither the refresh nor the other waiters notice")
  func cancelledWaiter() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.gate.close()
    let impatient = Task { try await world.manager.credential() }
    let patient = Task { try await world.manager.credential() }
    #expect(await eventually { world.manager.core.look { $0.waiters.count } == 2 && world.server.running == 1 })
    impatient.cancel()
    await #expect(throws: CancellationError.self) { try await impatient.value }
    #expect(world.server.running == 1)
    world.server.gate.open()
    #expect(try await patient.value.token == 2)
    #expect(world.server.cancelled == 0)
  }

  @Test("When the only waiter is cancelled, the refresh goes on and its result is kept")
  func onlyWaiter() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.gate.close()
    let only = Task { try await world.manager.credential() }
    #expect(await eventually { world.server.running == 1 })
    only.cancel()
    await #expect(throws: CancellationError.self) { try await only.value }
    world.server.gate.open()
    #expect(await eventually { world.manager.valid?.token == 2 })
    #expect(try await world.stored?.token == 2)
  }

  @Test("Who is cancelled before asking begins no refresh")
  func cancelledBefore() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    let task = Task {
      try? await waitForCancellation()
      return try await world.manager.credential()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(world.manager.core.look { $0.lastFlight } == 0)
  }

  @Test("An error is not latched: the next who asks tries anew")
  func notLatched() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1)) { $0.attempts = 1 }
    world.server.fail(ServerError.noNetwork)
    #expect(await code { try await world.manager.credential() } == .refreshFailed)
    #expect(try await world.manager.credential().token == 2)
  }

  @Test("An attempt that fails is repeated after growing waits, and its error is told when all have failed")
  func attempts() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.fail(ServerError.noNetwork, ServerError.timeout, ServerError.status(503))
    let caller = Task { try await world.manager.credential() }
    await world.clock.waitForSleeps(1)
    #expect(world.clock.timeToNextSleepEnd == .seconds(1))
    world.clock.advance(by: .seconds(1))
    await world.clock.waitForSleeps(1)
    #expect(world.clock.timeToNextSleepEnd == .seconds(2))
    world.clock.advance(by: .seconds(2))
    let error = await #expect(throws: CredentialError.self) { try await caller.value }
    #expect(error?.code == .refreshFailed)
    #expect(error?.cause as? ServerError == .status(503))
    #expect(world.manager.current?.token == 1, "the credential is kept")
    #expect(try await world.stored?.token == 1)
  }

  @Test(
    "Of what the server may answer only a refusal ends the credential",
    arguments: [
      (ServerError.status(400), CredentialError.Code.refused), (.status(401), .refused), (.status(429), .refreshFailed),
      (.status(500), .refreshFailed), (.status(503), .refreshFailed), (.timeout, .refreshFailed),
      (.noNetwork, .refreshFailed), (.notJSON("<html>Bad gateway</html>"), .refreshFailed),
    ])
  func answers(answer: ServerError, expected: CredentialError.Code) async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1)) { $0.attempts = 1 }
    world.server.fail(answer)
    #expect(await code { try await world.manager.credential() } == expected)
    if expected == .refused {
      guard case .absent(let end) = world.manager.state.latest else {
        Issue.record("\(String(describing: world.manager.state.latest))")
        return
      }
      #expect(end.reason == .refused)
      #expect(end.cause as? ServerError == answer)
      #expect(try await world.stored == nil)
      #expect(await code { try await world.manager.credential() } == .refused)
    } else {
      #expect(try await world.stored?.token == 1)
      #expect(try await world.manager.credential().token == 2)
    }
    #expect(world.server.mostRunning == 1)
  }

  @Test("A refresh that cancels itself is an attempt that failed, and no waiter is told that he was cancelled")
  func selfCancelled() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1)) { $0.attempts = 1 }
    world.server.fail(CancellationError())
    #expect(await code { try await world.manager.credential() } == .refreshFailed)
  }

  @Test("The wait that a server asks for is kept, up to the cap", arguments: [(7, 7), (3600, 30), (0, 0)])
  func retryAfter(asked: Int, kept: Int) async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1))
    world.server.fail(ServerError.status(429, retryAfter: asked))
    let caller = Task { try await world.manager.credential() }
    if kept > 0 {
      await world.clock.waitForSleeps(1)
      #expect(world.clock.timeToNextSleepEnd == .seconds(kept))
      world.clock.advance(by: .seconds(kept))
    }
    #expect(try await caller.value.token == 2)
  }

  @Test("Without network a credential that has not expired yet will do, without waiting for further attempts")
  func stillGood() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: 20))
    world.server.fail(ServerError.noNetwork, ServerError.noNetwork, ServerError.noNetwork)
    #expect(try await world.manager.credential().token == 1)
    // Who knows that it is no good is not served with it.
    let caller = Task { try await world.manager.refresh() }
    #expect(await eventually { world.manager.core.look { $0.waiters.count } == 1 })
    await world.clock.waitForSleeps(1)
    world.clock.advance(by: .seconds(1))
    await world.clock.waitForSleeps(1)
    world.clock.advance(by: .seconds(2))
    #expect(await code { try await caller.value } == .refreshFailed)
  }

  @Test("A rejected credential is replaced once, however many callers it was rejected for")
  func rejected() async throws {
    let world = try World(stored: Session(token: 1))
    let manager = world.manager
    try await withThrowingTaskGroup { group in
      for _ in 0..<50 {
        group.addTask { try await manager.credential(replacingIf: { $0.token == 1 }).token }
      }
      for try await token in group { #expect(token == 2) }
    }
    #expect(world.server.spent == [1])
    #expect(try await manager.credential(replacingIf: { $0.token == 1 }).token == 2)
    #expect(world.server.spent == [1], "it was replaced already")
  }

  @Test("A server that gives out what was rejected again is asked twice, not for ever")
  func rejectedAgain() async throws {
    let world = try World(stored: Session(token: 1))
    _ = try await world.manager.credential(replacingIf: { _ in true })
    #expect(world.server.spent == [1, 2])
  }

  @Test("A refresh on demand reads the store first, and renews what it finds there")
  func onDemand() async throws {
    let world = try World(stored: Session(token: 1))
    #expect(try await world.manager.refresh().token == 2)
    #expect(world.server.spent == [1])
  }

  @Test("Without a credential every call says so")
  func absent() async throws {
    let world = World()
    #expect(try await world.manager.load() == nil)
    #expect(await code { try await world.manager.credential() } == .absent)
    #expect(await code { try await world.manager.refresh() } == .absent)
    #expect(await code { try await world.manager.update { _ in } } == .absent)
    guard case .absent(let end) = world.manager.state.latest else {
      Issue.record("not absent")
      return
    }
    #expect(end.reason == .neverSet)
  }

  @Test("After any end nobody is served with what was, and what is set serves at once", arguments: 0..<3)
  func ends(kind: Int) async throws {
    let world = try World(stored: Session(token: 1))
    #expect(try await world.manager.credential().token == 1)
    switch kind {
    case 0: try await world.manager.clear()
    case 1:
      try await world.store.remove()
      try await world.manager.reload()
    default:
      world.server.fail(ServerError.status(401))
      _ = try? await world.manager.refresh()
    }
    #expect(world.manager.valid == nil && world.manager.current == nil)
    #expect(await code { try await world.manager.credential() } == (kind == 2 ? .refused : .absent))
    try await world.manager.set(Session(token: 7))
    #expect(world.manager.valid?.token == 7)
    try await world.manager.update { $0.user = "berta" }
    #expect(world.manager.valid?.user == "berta")
  }

  @Test("A credential without an end is never renewed by itself")
  func endless() async throws {
    let manager = CredentialManager(
      CredentialScheme<Session>(
        validity: { _ in nil }, refresh: { _ in throw ServerError.noNetwork }, classify: { _ in .transient() }),
      store: MemoryCredentialStore(try Session(token: 1, expiresIn: -1).bytes))
    #expect(try await manager.credential().token == 1)
    manager.startAutoRefresh()
    #expect(manager.valid?.token == 1)
    #expect(manager.core.look { $0.wakeUp } == nil)
  }
}
