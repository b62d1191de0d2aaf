import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth
@testable import SwiftwaterSessions

@Suite("Nothing outlives a client")
struct LifetimeTests {
  @Test("A released client ends its sequences and its work, however it was used")
  func release() async throws {
    weak var client: AuthClient?
    weak var engine: AnyObject?
    let clock: ManualClock
    let consumers: [Task<Int, Never>]
    do {
      let world = try World(answer: { _ in .init(body: Sample.session()) }) { $0.autoRefreshToken = true }
      client = world.client
      engine = world.client.sessions
      clock = world.clock
      try await world.client.signIn(email: "a@example.com", password: "pass-word")
      _ = world.client.mfa
      _ = world.client.admin
      await world.client.onAuthStateChange { _, _ in }
      let changes = world.client.authStateChanges
      let updates = world.client.sessionUpdates
      consumers = [
        Task { await changes.reduce(into: 0) { count, _ in count += 1 } },
        Task { await updates.reduce(into: 0) { count, _ in count += 1 } },
      ]
      #expect(await eventually { clock.pendingSleeps == 1 }, "the next renewal is planned")
    }
    #expect(await eventually { client == nil && engine == nil })
    for consumer in consumers { #expect(await consumer.value == 1) }
    #expect(await eventually { clock.pendingSleeps == 0 })
  }

  @Test("A loop that ends has no consumer any more, and a cancelled one ends")
  func leaving() async throws {
    let world = try World(signedIn: Sample.stored())
    for await _ in world.client.authStateChanges { break }
    #expect(world.client.sessions.core.events.consumerCount == 0)
    let changes = world.client.authStateChanges
    let reader = Task {
      var count = 0
      for await _ in changes { count += 1 }
      return count
    }
    #expect(await eventually { world.client.sessions.core.events.waitingCount == 1 })
    reader.cancel()
    #expect(await reader.value == 1)
    #expect(world.client.sessions.core.events.consumerCount == 0)
  }

  @Test("A callback that waits for a server is given up with the client")
  func callback() async throws {
    let wasCancelled = LockIsolated(false)
    let tasks = LockIsolated<OwnedTasks?>(OwnedTasks())
    tasks.value?.start("test") {
      try? await waitForCancellation()
      wasCancelled.withLock { $0 = true }
    }
    #expect(tasks.value?.count == 1)
    tasks.withLock { $0 = nil }
    #expect(await eventually { wasCancelled.value })
  }
}
