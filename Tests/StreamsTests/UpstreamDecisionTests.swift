import Testing

@testable import SwiftwaterStreams

@Suite("Decisions about the upstream, without I/O")
struct UpstreamDecisionTests {
  @Test("one thread drives at a time, and only if there is an upstream")
  func driving() {
    #expect(!Machine(nil).begin())
    let machine = Machine(.whileObserved())
    #expect(machine.begin())
    #expect(!machine.begin())
    #expect(machine.next(isObserved: false) == nil)
    #expect(machine.begin())
  }

  @Test("start, then remove, each with an epoch of its own")
  func cycle() {
    let machine = Machine(.whileObserved())
    #expect(machine.begin())
    #expect(machine.next(isObserved: true) == .start(epoch: 1))
    machine.upstream.didStart(ListenerRemoval {})
    #expect(machine.next(isObserved: true) == nil)
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == .remove)
    #expect(machine.upstream.epoch == 2)
    #expect(machine.next(isObserved: false) == nil)
  }

  @Test("a listener that ends while it starts is removed before the next one starts")
  func endsWhileStarting() {
    let machine = Machine(.whileObserved())
    #expect(machine.begin())
    #expect(machine.next(isObserved: true) == .start(epoch: 1))
    machine.upstream.end()
    machine.upstream.didStart(ListenerRemoval {})
    #expect(machine.next(isObserved: true) == .remove)
    #expect(machine.next(isObserved: true) == .start(epoch: 4))
  }

  @Test("lingering: an outdated round counts for nothing, the current one stops the listener")
  func linger() {
    let machine = Machine(.whileObserved(linger: .seconds(1)))
    machine.run()
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == .linger(round: 1))
    machine.upstream.didBeginLingering(Task {})
    #expect(machine.next(isObserved: true) == .stopLingering)
    #expect(machine.next(isObserved: true) == nil)
    machine.upstream.didLinger(round: 1)
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == .linger(round: 3))
    machine.upstream.didLinger(round: 1)
    machine.upstream.didBeginLingering(Task {})
    #expect(machine.next(isObserved: false) == nil)
    machine.upstream.didLinger(round: 3)
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == .remove)
  }

  @Test("a listener that ends does not linger")
  func endsBeforeLingering() {
    let machine = Machine(.whileObserved(linger: .seconds(1)))
    machine.run()
    machine.upstream.end()
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == .remove)
  }

  @Test("lifetime runs unobserved until abandoned")
  func lifetime() {
    let machine = Machine(.lifetime)
    machine.run()
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == nil)
    machine.upstream.abandon()
    #expect(machine.begin())
    #expect(machine.next(isObserved: false) == .remove)
  }
}

/// The state machine with its steps by name.
private final class Machine {
  enum Step: Equatable {
    case start(epoch: Int)
    case linger(round: Int)
    case remove, stopLingering
  }

  var upstream: Upstream

  init(_ policy: SharingPolicy?) { upstream = Upstream(policy: policy) }

  func begin() -> Bool { upstream.beginDriving() }

  func next(isObserved: Bool) -> Step? {
    switch upstream.nextStep(isObserved: isObserved) {
    case .start(let epoch): .start(epoch: epoch)
    case .linger(_, let round): .linger(round: round)
    case .remove: .remove
    case .stopLingering: .stopLingering
    case nil: nil
    }
  }

  /// Starts a listener for a consumer.
  func run() {
    #expect(begin())
    #expect(next(isObserved: true) == .start(epoch: 1))
    upstream.didStart(ListenerRemoval {})
    #expect(next(isObserved: true) == nil)
  }
}
