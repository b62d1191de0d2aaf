import SwiftwaterStreams
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("Renewing in the background")
struct AutoRefreshTests {
  @Test("A refresh begins before the margin, so that nobody waits, and the next one after it")
  func lead() async throws {
    let world = try World(stored: Session(token: 1))
    world.manager.startAutoRefresh()
    #expect(await eventually { world.manager.valid?.token == 1 })
    await world.clock.waitForSleeps(1)
    #expect(world.clock.timeToNextSleepEnd == .seconds(3510))
    world.clock.advance(by: .seconds(3510))
    #expect(await eventually { world.manager.valid?.token == 2 })
    await world.clock.waitForSleeps(1)
    #expect(world.clock.timeToNextSleepEnd == .seconds(3510))
    world.clock.advance(by: .seconds(3510))
    #expect(await eventually { world.manager.valid?.token == 3 })
    #expect(world.server.spent == [1, 2])
  }

  @Test("An offline launch stays signed in, expired, and recovers by itself")
  func offlineLaunch() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -100)) { $0.attempts = 1 }
    world.server.fail(ServerError.noNetwork, ServerError.noNetwork, ServerError.noNetwork)
    let states = world.manager.state.makeAsyncIterator()
    world.manager.startAutoRefresh()
    for wait in [1, 2, 4] {
      await world.clock.waitForSleeps(1)
      #expect(world.clock.timeToNextSleepEnd == .seconds(wait))
      #expect(world.manager.current?.token == 1)
      #expect(
        await eventually {
          guard case .present(let session, let trouble?) = world.manager.state.latest else { return false }
          return session.token == 1 && trouble.code == .refreshFailed
        })
      world.clock.advance(by: .seconds(wait))
    }
    #expect(await eventually { world.manager.valid?.token == 2 })
    var last: CredentialState<Session>?
    while let state = await states.next() {
      last = state
      if state.credential?.token == 2 { break }
    }
    guard case .present(_, trouble: nil) = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(try await world.stored?.token == 2)
  }

  @Test("A call does not wait for the next attempt in the background")
  func callCutsWait() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -100)) { $0.attempts = 1 }
    world.server.fail(ServerError.noNetwork)
    world.manager.startAutoRefresh()
    await world.clock.waitForSleeps(1)
    #expect(world.clock.timeToNextSleepEnd == .seconds(1))
    #expect(try await world.manager.credential().token == 2)
    await world.clock.waitForSleeps(1)
    #expect(await eventually { world.clock.timeToNextSleepEnd == .seconds(3510) })
  }

  @Test("A refresh on demand that fails does not hurry the one in the background")
  func failureOnDemand() async throws {
    let world = try World(stored: Session(token: 1)) { $0.attempts = 1 }
    world.manager.startAutoRefresh()
    await world.clock.waitForSleeps(1)
    world.server.fail(ServerError.noNetwork)
    #expect(await code { try await world.manager.refresh() } == .refreshFailed)
    #expect(await eventually { world.clock.timeToNextSleepEnd == .seconds(3510) })
  }

  @Test("A refusal in the background ends the session, with its reason, and the work")
  func refusal() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -100))
    world.server.fail(ServerError.status(400))
    let events = world.manager.events().subscribe()
    world.manager.startAutoRefresh()
    #expect(await events.next().map { "\($0)" } == "loaded")
    guard case .ended(let end)? = await events.next() else {
      Issue.record("not ended")
      return
    }
    #expect(end.reason == .refused)
    #expect(await eventually { world.clock.pendingSleeps == 0 && world.manager.core.look { $0.wakeUp == nil } })
    // Signing in again goes on.
    try await world.manager.set(Session(token: 7))
    #expect(await eventually { world.clock.timeToNextSleepEnd == .seconds(3510) })
  }

  @Test("It can be stopped")
  func stop() async throws {
    let world = try World(stored: Session(token: 1))
    world.manager.startAutoRefresh()
    await world.clock.waitForSleeps(1)
    world.manager.stopAutoRefresh()
    #expect(await eventually { world.clock.pendingSleeps == 0 })
    world.clock.advance(by: .seconds(10_000))
    #expect(world.server.spent == [])
    #expect(try await world.manager.credential().token == 2, "on demand it still works")
  }

  @Test("A store that cannot be read at first is read again")
  func unreadableAtFirst() async throws {
    let store = FaultyStore(try Session(token: 1).bytes)
    store.fail(loads: 2)
    let world = World(store: store)
    world.manager.startAutoRefresh()
    await world.clock.waitForSleeps(1)
    #expect(
      await eventually {
        guard case .unread(let error?) = world.manager.state.latest else { return false }
        return error.code == .storeUnreadable
      })
    world.clock.advance(by: .seconds(1))
    await world.clock.waitForSleeps(1)
    world.clock.advance(by: .seconds(2))
    #expect(await eventually { world.manager.valid?.token == 1 })
  }

  @Test("Credentials that live a second are renewed twice a second, not without end")
  func shortLived() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: -1), lifetime: 0)
    world.manager.startAutoRefresh()
    #expect(await eventually { world.manager.valid?.token == 2 })
    for token in 3...5 {
      await world.clock.waitForSleeps(1)
      #expect(world.clock.timeToNextSleepEnd == .milliseconds(500))
      world.clock.advance(by: .milliseconds(500))
      #expect(await eventually { world.manager.valid?.token == token })
    }
    #expect(world.server.spent == [1, 2, 3, 4])
  }
}
