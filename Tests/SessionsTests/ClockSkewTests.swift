import FoundationEssentials
import TestSupport
import Testing

@testable import SwiftwaterSessions

@Suite("Clocks that disagree")
struct ClockSkewTests {
  @Test("A clock that is hours ahead or behind costs one needless refresh at most", arguments: [-7200.0, 0, 7200])
  func skew(serverAhead: Double) async throws {
    // Signed in a moment ago, by the server's clock.
    let world = try World(stored: Session(token: 1, expiresIn: serverAhead + 3600), skew: serverAhead)
    for _ in 0..<100 { _ = try await world.manager.credential() }
    #expect(world.server.spent.count <= 1)
    // A server that rejects it, as it is older than this side believes, makes it known.
    _ = try await world.manager.refresh()
    let spent = world.server.spent.count
    world.clock.advance(by: .seconds(3569))
    _ = try await world.manager.credential()
    #expect(world.server.spent.count == spent)
    world.clock.advance(by: .seconds(1))
    _ = try await world.manager.credential()
    #expect(world.server.spent.count == spent + 1)
  }

  @Test("What the server has issued just now counts from here, whatever the clocks say", arguments: [-7200.0, 7200])
  func issued(serverAhead: Double) async throws {
    let world = World(skew: serverAhead)
    try await world.manager.set(Session(token: 1, expiresIn: serverAhead + 3600), isIssued: true)
    world.clock.advance(by: .seconds(3569))
    #expect(world.manager.valid?.token == 1)
    world.clock.advance(by: .seconds(1))
    #expect(world.manager.valid == nil)
  }

  @Test("After a refresh the server's time is known, and holds for what others store")
  func learned() async throws {
    let world = try World(stored: Session(token: 1, expiresIn: 0), skew: 7200)
    #expect(try await world.manager.refresh().token == 2)
    world.clock.advance(by: .seconds(100))
    // Issued 600 seconds ago by the server's clock.
    try await world.store.save(Session(token: 9, expiresIn: 7200 + 100 + 3000).bytes)
    try await world.manager.reload()
    world.clock.advance(by: .seconds(2969))
    #expect(world.manager.valid?.token == 9)
    world.clock.advance(by: .seconds(1))
    #expect(world.manager.valid == nil)
  }

  @Test("A credential from the store is not taken to be good for longer than it ever was")
  func capped() async throws {
    // This side believes it is 1970.
    let world = try World(stored: Session(token: 1, expiresIn: 50 * 365 * 86_400))
    #expect(try await world.manager.credential().token == 1)
    world.clock.advance(by: .seconds(3570))
    #expect(world.manager.valid == nil)
  }

  @Test("Times that are no times do not trap", arguments: [.nan, .infinity, -.infinity, 1e300, -1e300])
  func nonsense(seconds: Double) {
    let validity = CredentialValidity(
      expiresAt: Date(timeIntervalSinceReferenceDate: seconds), lifetime: .seconds(Int64.max))
    let moment = Moment(elapsed: .seconds(1), date: Epoch.date)
    var time = ServerTime()
    let kept = time.remaining(ofKept: validity, at: moment)
    #expect(abs(kept / .seconds(1)) <= 1e9)
    #expect(time.remaining(ofIssued: validity, at: moment) == .seconds(1_000_000_000))
    #expect(abs(time.remaining(ofKept: validity, at: moment) / .seconds(1)) <= 1e9)
  }

  @Test("Margins shrink with the lifetime")
  func terms() {
    let long = CredentialTerm(
      remaining: .seconds(3600), lifetime: .seconds(3600), now: .seconds(10), margin: .seconds(30), lead: .seconds(90))
    #expect([long.due, long.unfit, long.end] == [.seconds(3520), .seconds(3580), .seconds(3610)])
    let short = CredentialTerm(
      remaining: .seconds(40), lifetime: .seconds(40), now: .zero, margin: .seconds(30), lead: .seconds(90))
    #expect([short.due, short.unfit, short.end] == [.seconds(20), .seconds(30), .seconds(40)])
  }
}
