import SwiftwaterHTTP
import Testing

@testable import SwiftwaterSockets

@Suite("Decisions of the reconnecting socket")
struct ReconnectingMachineTests {
  /// A machine on a time line of its own, which notes what it decides, with the second it does.
  private struct TimeLine {
    var machine: ReconnectingSocketMachine
    var now = 0.0
    var random = 1.0
    var timer: (id: Int, due: Double)?
    var log: [String] = []

    init(heartbeat: (interval: Double, timeout: Double)? = nil) {
      machine = ReconnectingSocketMachine(
        backoff: Backoff(base: .seconds(1), cap: .seconds(8), jitter: .full),
        rhythm: heartbeat.map { (.seconds($0.interval), .seconds($0.timeout)) })
    }

    mutating func perform(_ decide: (inout ReconnectingSocketMachine) -> ReconnectingSocketMachine.Actions?) {
      guard let actions = decide(&machine) else { return note("late") }
      switch actions.timer {
      case .none: break
      case .stop: timer = nil
      case .start(let id, let duration): timer = (id, now + duration / .seconds(1))
      }
      if let attempt = actions.connect { note("try\(attempt)") }
      if let number = actions.heartbeat { note("beat\(number)") }
      guard actions.publishes else { return }
      switch machine.status {
      case .idle: note("idle")
      case .connecting(let attempt): note("connecting\(attempt)")
      case .open: note("open")
      case .waiting(let delay, _): note("wait\(Int(delay / .milliseconds(1)))ms")
      case .closed(let error): note(error == nil ? "closed" : "gone")
      }
    }

    mutating func note(_ text: String) { log.append("\(now == now.rounded() ? "\(Int(now))" : "\(now)"):\(text)") }

    mutating func connect() { perform { $0.connect() } }
    mutating func disconnect() { perform { $0.disconnect() } }
    mutating func networkChanged() { perform { $0.networkChanged() } }
    mutating func open(_ attempt: Int) { perform { $0.opened(attempt) } }
    mutating func receive(_ attempt: Int, isReply: Bool = false, isTaken: Bool = true) {
      perform { $0.received(on: attempt, isReply: isReply) }
      if isTaken { machine.delivered(on: attempt) }
    }
    mutating func fail(_ attempt: Int, isFinal: Bool = false) {
      let random = random
      let error = WebSocketError(code: .connectionFailed, message: "")
      perform { $0.ended(attempt, error: error, isFinal: isFinal, random: random) }
    }

    /// Lets time pass, with the timers that run down in it.
    mutating func pass(_ seconds: Double) {
      let end = now + seconds
      while let due = timer, due.due <= end {
        now = due.due
        timer = nil
        let random = random
        perform { $0.timerFired(due.id, random: random) }
      }
      now = end
    }

    /// What has been noted since the last time.
    mutating func take() -> String {
      defer { log = [] }
      return log.joined(separator: " ")
    }
  }

  @Test("Failures lead to longer and longer waits, a connection that works begins anew")
  func failures() {
    var line = TimeLine()
    line.connect()
    for attempt in 1...5 {
      line.fail(attempt)
      line.pass(20)
    }
    #expect(
      line.take()
        == "0:try1 0:connecting1 0:wait1000ms 1:try2 1:connecting2 20:wait2000ms 22:try3 22:connecting3 "
        + "40:wait4000ms 44:try4 44:connecting4 60:wait8000ms 68:try5 68:connecting5 80:wait8000ms 88:try6 88:connecting6"
    )
    line.open(6)
    line.fail(6)
    #expect(line.take() == "100:open 100:wait8000ms", "an opening that is followed by no message proves nothing")
    line.pass(8)
    line.open(7)
    line.receive(7)
    line.fail(7)
    #expect(line.take() == "108:try7 108:connecting7 108:open 108:wait1000ms")
    #expect(line.machine.attempt == 7)
    line.pass(1)
    line.fail(8)
    line.pass(2)
    #expect(
      line.take() == "109:try8 109:connecting1 109:wait2000ms 111:try9 111:connecting2",
      "what worked and was lost is no attempt that failed, though a reason to wait")
    line.disconnect()
    line.connect()
    #expect(line.take() == "111:closed 111:try10 111:connecting1")
  }

  @Test("Jitter is full: the random part decides")
  func jitter() {
    var line = TimeLine()
    line.random = 0.5
    line.connect()
    line.fail(1)
    line.pass(0.5)
    line.fail(2)
    #expect(line.take() == "0:try1 0:connecting1 0:wait500ms 0.5:try2 0.5:connecting2 0.5:wait1000ms")
  }

  @Test("There is one attempt at a time, however often it is asked for")
  func singleFlight() {
    var line = TimeLine()
    line.connect()
    line.connect()
    line.connect()
    line.open(1)
    line.connect()
    #expect(line.take() == "0:try1 0:connecting1 0:open")
  }

  @Test("A disconnect wins over an attempt, a wait, and an open connection")
  func disconnectWins() {
    var connecting = TimeLine()
    connecting.connect()
    connecting.disconnect()
    #expect(!connecting.machine.isCurrent(1))
    connecting.open(1)
    connecting.fail(1)
    connecting.pass(100)
    connecting.disconnect()
    #expect(connecting.take() == "0:try1 0:connecting1 0:closed 0:late")

    var waiting = TimeLine()
    waiting.connect()
    waiting.fail(1)
    let timer = waiting.timer?.id ?? 0
    waiting.disconnect()
    waiting.perform { $0.timerFired(timer, random: 1) }
    waiting.pass(100)
    #expect(waiting.take() == "0:try1 0:connecting1 0:wait1000ms 0:closed")

    var open = TimeLine()
    open.connect()
    open.open(1)
    open.disconnect()
    open.fail(1)
    open.receive(1)
    open.pass(100)
    #expect(open.take() == "0:try1 0:connecting1 0:open 0:closed")
  }

  @Test("What comes late from an older attempt is ignored")
  func lateResults() {
    var line = TimeLine()
    line.connect()
    line.disconnect()
    line.connect()
    line.fail(1)
    line.open(1)
    line.fail(1, isFinal: true)
    #expect(line.take() == "0:try1 0:connecting1 0:closed 0:try2 0:connecting1 0:late")
    line.open(2)
    line.fail(1)
    line.receive(1, isReply: true)
    line.open(2)
    #expect(line.take() == "0:open 0:late")
  }

  @Test("A connect during a wait cuts it short, and so does another network")
  func shortcuts() {
    var line = TimeLine()
    line.connect()
    line.fail(1)
    line.connect()
    #expect(line.take() == "0:try1 0:connecting1 0:wait1000ms 0:try2 0:connecting2")
    line.fail(2)
    line.pass(0.5)
    line.networkChanged()
    #expect(line.take() == "0:wait2000ms 0.5:try3 0.5:connecting3")
    line.networkChanged()
    #expect(line.take() == "0.5:try4 0.5:connecting3", "an attempt begins anew; it has not failed")
    line.open(3)
    line.open(4)
    line.pass(100)
    line.networkChanged()
    #expect(line.take() == "0.5:late 0.5:open")
    line.disconnect()
    line.networkChanged()
    #expect(line.take() == "100.5:closed")
  }

  @Test("A final error ends it, until it is asked for again")
  func finalErrors() {
    var line = TimeLine()
    line.connect()
    line.fail(1)
    line.pass(1)
    line.fail(2, isFinal: true)
    line.pass(100)
    line.networkChanged()
    #expect(line.take() == "0:try1 0:connecting1 0:wait1000ms 1:try2 1:connecting2 1:gone")
    line.connect()
    line.fail(3)
    #expect(line.take() == "101:try3 101:connecting1 101:wait1000ms")
  }

  @Test("Heartbeats go out at their interval, and replies put off the next one")
  func heartbeats() {
    var line = TimeLine(heartbeat: (25, 10))
    line.connect()
    line.open(1)
    line.pass(26)
    line.receive(1)
    line.pass(4)
    line.receive(1, isReply: true)
    line.pass(24)
    #expect(line.take() == "0:try1 0:connecting1 0:open 25:beat1")
    line.pass(1)
    #expect(line.take() == "55:beat2")
    line.pass(9)
    #expect(line.take() == "")
    line.pass(1)
    #expect(line.take() == "65:wait1000ms", "no reply within 10 s")
    #expect(!line.machine.isCurrent(1))
    line.receive(1, isReply: true)
    line.pass(1)
    line.open(2)
    line.pass(25)
    #expect(line.take() == "66:try2 66:connecting1 66:open 91:beat1")
  }

  @Test("A reply that consumers hold back is waited for")
  func slowConsumers() {
    var line = TimeLine(heartbeat: (25, 10))
    line.connect()
    line.open(1)
    line.receive(1, isTaken: false)
    line.pass(60)
    #expect(line.take() == "0:try1 0:connecting1 0:open 25:beat1")
    line.machine.delivered(on: 1)
    line.receive(1, isReply: true)
    line.pass(35)
    #expect(line.take() == "85:beat2 95:wait1000ms")
  }

  @Test("Another network tests an open connection at once, one heartbeat at a time")
  func probes() {
    var line = TimeLine(heartbeat: (25, 10))
    line.connect()
    line.open(1)
    line.pass(5)
    line.networkChanged()
    line.networkChanged()
    line.pass(10)
    #expect(line.take() == "0:try1 0:connecting1 0:open 5:beat1 15:wait1000ms")
  }

  @Test("By default a refusal for lack of rights is final, everything else is not")
  func finality() {
    let isFinal = ReconnectingSocketConfiguration().isFinal
    for status in [401, 403, 404] {
      #expect(isFinal(WebSocketError(code: .refused, message: "", status: .init(code: status))))
    }
    for status in [429, 500, 502, 503] {
      #expect(!isFinal(WebSocketError(code: .refused, message: "", status: .init(code: status))))
    }
    #expect(isFinal(WebSocketError(code: .invalidRequest, message: "")))
    #expect(!isFinal(WebSocketError(code: .timeout, message: "")))
    #expect(!isFinal(CancellationError()))
  }

  @Test("Whatever happens in whatever order, there is one attempt or one timer at most, and a disconnect holds")
  func randomOrders() {
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<300 {
      var line = TimeLine(heartbeat: Bool.random(using: &generator) ? (3, 1) : nil)
      var isWanted = false
      for _ in 0..<60 {
        let attempt = max(1, line.machine.attempt - Int.random(in: 0...1, using: &generator))
        switch Int.random(in: 0...9, using: &generator) {
        case 0:
          line.connect()
          isWanted = true
        case 1:
          line.disconnect()
          isWanted = false
        case 2: line.networkChanged()
        case 3, 4: line.open(attempt)
        case 5: line.receive(attempt, isReply: Bool.random(using: &generator))
        case 6: line.fail(attempt)
        default: line.pass(Double(Int.random(in: 0...4, using: &generator)))
        }
        switch line.machine.status {
        case .idle, .closed: #expect(!isWanted && line.timer == nil)
        case .connecting: #expect(isWanted && line.timer == nil)
        case .open: #expect(isWanted && line.machine.isCurrent(line.machine.attempt))
        case .waiting: #expect(isWanted && line.timer != nil)
        }
      }
    }
  }
}
