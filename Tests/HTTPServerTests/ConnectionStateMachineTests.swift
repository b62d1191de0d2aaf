import Testing

@testable import SwiftwaterHTTPServer

struct ConnectionStateMachineTests {
  private let start = ContinuousClock.now
  private let limits = ConnectionStateMachine.Limits(
    head: .seconds(10), idle: .seconds(75), progress: .seconds(30))

  private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  /// Like the macro, which cannot call mutating functions.
  private func expect(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
  }

  /// A machine in an exchange.
  private func exchanging(
    _ request: ConnectionStateMachine.RequestSide, keepsAlive: Bool = true
  ) -> ConnectionStateMachine {
    var machine = ConnectionStateMachine(now: start)
    machine.headEnded(keepsAlive: keepsAlive, request: request, at: start)
    return machine
  }

  @Test("a complete exchange leads back to idle, and its connection is read all the time")
  func keepAlive() {
    var machine = ConnectionStateMachine(now: start)
    expect(machine.parses && machine.reads(hasRoom: true))
    machine.headBegan(at: start)
    machine.headEnded(keepsAlive: true, request: .complete, at: start)
    expect(!machine.parses)
    expect(machine.reads(hasRoom: true) && !machine.reads(hasRoom: false))
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == true)
    machine.responseEnded(at: start)
    expect(machine.awaitsHead && machine.parses && machine.expectsRequests)
    expect(!machine.outputDrained(at: start))
  }

  @Test("without keep-alive the output is flushed, our side shut, and the peer waited for")
  func close() {
    var machine = exchanging(.complete, keepsAlive: false)
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == false)
    expect(!machine.outputDrained(at: start))
    machine.responseEnded(at: start)
    expect(!machine.expectsRequests && !machine.reads(hasRoom: true))
    expect(machine.outputDrained(at: start))
    expect(machine.isLingering && machine.reads(hasRoom: true))
    expect(machine.lapse(at: at(1), hasOutput: false, limits: limits) == .closeQuietly)
    expect(machine.peerDidEnd(at: start, hasOutput: false))
  }

  @Test("a response ends the connection when it or a long rest of its request says so")
  func responseDecides() {
    var machine = exchanging(.complete)
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: false, at: start) == false)
    machine = exchanging(.reading)
    expect(machine.responseBegan(remaining: 64 * 1024, allowsKeepAlive: true, at: start) == true)
    machine = exchanging(.reading)
    expect(machine.responseBegan(remaining: 64 * 1024 + 1, allowsKeepAlive: true, at: start) == false)
    machine = exchanging(.reading)
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == false)
    machine = exchanging(.awaitingContinue)
    expect(machine.responseBegan(remaining: 5, allowsKeepAlive: true, at: start) == false)
    expect(machine.responseBegan(remaining: 5, allowsKeepAlive: true, at: start) == nil)
  }

  @Test("a short rest of a request is read before the next one")
  func drains() {
    var machine = exchanging(.reading)
    _ = machine.responseBegan(remaining: 10, allowsKeepAlive: true, at: start)
    machine.responseEnded(at: start)
    expect(machine.parses && !machine.awaitsHead)
    machine.bodyEnded(at: start)
    expect(machine.awaitsHead)
  }

  @Test("a full body pauses reading until its reader wants more")
  func pauses() {
    var machine = exchanging(.reading)
    machine.pause()
    expect(!machine.parses && !machine.reads(hasRoom: true))
    expect(machine.lapse(at: at(100), hasOutput: false, limits: limits) == nil)
    expect(!machine.bodyDemanded(at: at(100)))
    expect(machine.parses && machine.reads(hasRoom: true))
    expect(machine.lapse(at: at(129), hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(130), hasOutput: false, limits: limits) == .abandonBody)
  }

  @Test("100 Continue goes out once, before the response, to a client that still waits")
  func continues() {
    var machine = exchanging(.awaitingContinue)
    expect(machine.lapse(at: at(100), hasOutput: false, limits: limits) == nil)
    expect(machine.bodyDemanded(at: start))
    expect(!machine.bodyDemanded(at: start))
    machine = exchanging(.awaitingContinue)
    machine.bodyArrived()
    expect(!machine.bodyDemanded(at: start))
    machine = exchanging(.awaitingContinue)
    _ = machine.responseBegan(remaining: 5, allowsKeepAlive: true, at: start)
    expect(!machine.bodyDemanded(at: start))
  }

  @Test("a request that breaks off is answered, then the connection ends")
  func failure() {
    var machine = ConnectionStateMachine(now: start)
    machine.requestFailed(at: start)
    expect(!machine.parses && !machine.reads(hasRoom: true))
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == false)
    machine.responseEnded(at: start)
    expect(machine.outputDrained(at: start))
  }

  @Test("a peer that sends no more is answered if its request is complete, and cancelled when that takes a second")
  func halfClosed() {
    var machine = exchanging(.complete)
    expect(!machine.peerDidEnd(at: start, hasOutput: false))
    expect(!machine.reads(hasRoom: true))
    expect(machine.lapse(at: start, hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(1), hasOutput: true, limits: limits) == nil)
    expect(machine.lapse(at: at(1), hasOutput: false, limits: limits) == .cancel)
    expect(machine.lapse(at: at(2), hasOutput: false, limits: limits) == nil)
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: at(2)) == true)
    machine.responseEnded(at: at(2))
    expect(machine.outputDrained(at: at(2)) && machine.isClosed)
  }

  @Test("a peer that ends between requests or within one is closed", arguments: [true, false])
  func peerEnds(_ isIdle: Bool) {
    var machine = isIdle ? ConnectionStateMachine(now: start) : exchanging(.reading)
    expect(machine.peerDidEnd(at: start, hasOutput: false))
  }

  @Test("between requests the last response may still be on its way: nothing cuts it off but a peer that stops reading")
  func pendingOutput() {
    var machine = ConnectionStateMachine(now: start)
    machine.outputBegan(at: start)
    machine.moved(1024, at: at(29))
    expect(machine.lapse(at: at(30), hasOutput: true, limits: limits) == nil)
    expect(machine.lapse(at: at(60), hasOutput: true, limits: limits) == .abort)
    var stopping = machine
    expect(!stopping.stop(hasOutput: true))
    expect(stopping.outputDrained(at: at(40)) && stopping.isLingering)
    expect(!machine.peerDidEnd(at: at(40), hasOutput: true))
    expect(machine.outputDrained(at: at(40)) && machine.isClosed)
    machine = ConnectionStateMachine(now: start)
    machine.moved(1, at: at(50))
    expect(machine.lapse(at: at(124), hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(125), hasOutput: false, limits: limits) == .closeQuietly)
  }

  @Test("stopping closes idle connections and lets an exchange end its connection")
  func stops() {
    var machine = ConnectionStateMachine(now: start)
    expect(machine.stop(hasOutput: false))
    machine = exchanging(.complete)
    expect(!machine.stop(hasOutput: false))
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == false)
    machine = exchanging(.complete)
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == true)
    expect(!machine.stop(hasOutput: false))
    machine.responseEnded(at: start)
    expect(machine.outputDrained(at: start))
  }

  @Test("deadlines: idle, head, body, output")
  func deadlines() {
    var machine = ConnectionStateMachine(now: start)
    expect(machine.lapse(at: at(74), hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(75), hasOutput: false, limits: limits) == .closeQuietly)
    machine.headBegan(at: at(50))
    machine.headBegan(at: at(55))
    expect(machine.lapse(at: at(59), hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(60), hasOutput: false, limits: limits) == .refuseHead)
    machine = exchanging(.complete)
    expect(machine.lapse(at: at(1000), hasOutput: false, limits: limits) == nil)
    machine.outputBegan(at: at(1000))
    expect(machine.lapse(at: at(1029), hasOutput: true, limits: limits) == nil)
    expect(machine.lapse(at: at(1030), hasOutput: true, limits: limits) == .abort)
  }

  @Test("a body that drips is as good as none; one that flows may take any time")
  func minimumRate() {
    var machine = exchanging(.reading)
    for second in 1...29 { machine.moved(1, at: at(second)) }
    expect(machine.lapse(at: at(30), hasOutput: false, limits: limits) == .abandonBody)
    machine = exchanging(.reading)
    for window in 1...10 {
      machine.moved(1024, at: at(window * 30 - 1))
      expect(machine.lapse(at: at(window * 30), hasOutput: false, limits: limits) == nil)
    }
    _ = machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: at(300))
    expect(machine.lapse(at: at(330), hasOutput: false, limits: limits) == .abort)
  }

  @Test("a handshake has the deadline of a head, is no request, and is followed by one")
  func handshake() {
    var machine = ConnectionStateMachine(now: start, beginsWithHandshake: true)
    expect(machine.reads(hasRoom: true) && !machine.parses && machine.expectsRequests && machine.isInHandshake)
    expect(machine.lapse(at: at(9), hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(10), hasOutput: false, limits: limits) == .closeQuietly)
    var ended = machine
    expect(ended.peerDidEnd(at: start, hasOutput: false))
    var stopped = machine
    expect(stopped.stop(hasOutput: false))
    var failed = machine
    failed.handshakeFailed(at: at(1))
    expect(failed.isLingering)
    machine.handshakeEnded(at: at(9))
    expect(machine.parses && !machine.isInHandshake)
    expect(machine.lapse(at: at(83), hasOutput: false, limits: limits) == nil)
    expect(machine.lapse(at: at(84), hasOutput: false, limits: limits) == .closeQuietly)
  }

  @Test("only a complete request of a peer that is there becomes something else than HTTP")
  func upgrade() {
    var machine = exchanging(.reading)
    expect(!machine.upgrade(at: start))
    machine = exchanging(.complete)
    _ = machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start)
    expect(!machine.upgrade(at: start))
    machine = exchanging(.complete)
    expect(!machine.peerDidEnd(at: start, hasOutput: false))
    expect(!machine.upgrade(at: start))
    machine = exchanging(.complete)
    expect(!machine.stop(hasOutput: false))
    expect(!machine.upgrade(at: start))
    machine = exchanging(.complete)
    expect(machine.upgrade(at: start))
    expect(!machine.parses && !machine.expectsRequests && machine.reads(hasRoom: false))
    expect(machine.responseBegan(remaining: nil, allowsKeepAlive: true, at: start) == nil)
    machine.pause()
    expect(!machine.reads(hasRoom: true))
    machine.resume()
    expect(machine.reads(hasRoom: true))
    expect(machine.lapse(at: at(1000), hasOutput: false, limits: limits) == nil)
    machine.outputBegan(at: at(1000))
    expect(machine.lapse(at: at(1030), hasOutput: true, limits: limits) == .abort)
    var gone = machine
    expect(gone.peerDidEnd(at: start, hasOutput: true))
    expect(!machine.stop(hasOutput: false))
    machine.channelEnded(at: at(1001))
    expect(machine.outputDrained(at: at(1001)) && machine.isLingering)
    machine.channelEnded(at: at(1001))
    expect(machine.isLingering)
  }
}
