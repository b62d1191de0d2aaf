import FoundationEssentials
import SwiftwaterHTTP
import Testing

@testable import SwiftwaterSessions

@Suite("Decisions of the credential manager")
struct MachineTests {
  private typealias Machine = CredentialMachine<String>
  private typealias Stored = StoredCredential<String>

  /// A machine on a time line of its own, which notes what it decides, with the second it does.
  ///
  /// Its credentials are words that are good for 100 seconds, and their bytes.
  private struct TimeLine {
    var machine: Machine
    var now = 0
    var log: [String] = []

    init() {
      var configuration = CredentialConfiguration()
      (configuration.margin, configuration.lead) = (.seconds(10), .seconds(20))
      configuration.backoff = Backoff(base: .seconds(1), cap: .seconds(8), jitter: .none)
      configuration.attempts = 2
      machine = Machine(configuration)
    }

    static func validity(expiresAt second: Int) -> CredentialValidity {
      CredentialValidity(expiresAt: Epoch.date.addingTimeInterval(Double(second)), lifetime: .seconds(100))
    }

    @discardableResult
    mutating func perform<Result>(_ decide: (inout Machine, Moment, inout Machine.Actions) -> Result) -> Result {
      let moment = Moment(elapsed: .seconds(now), date: Epoch.date.addingTimeInterval(Double(now)))
      var actions = Machine.Actions()
      let result = decide(&machine, moment, &actions)
      machine.settle(at: moment, &actions)
      if actions.cancelsFlight { note("cancel") }
      if let flight = actions.flight { note("fly\(flight)") }
      if actions.startsWriting { note("write") }
      for event in actions.events { note("\(event)".split(separator: " ").first.map(String.init) ?? "") }
      for (waiter, answer) in actions.answers.sorted(by: { $0.waiter < $1.waiter }) {
        switch answer {
        case .success(let credential): note("\(waiter)=\(credential ?? "nil")")
        case .failure(let error): note("\(waiter)!\(error.code.rawValue)")
        }
      }
      return result
    }

    mutating func note(_ text: String) { log.append("\(now):\(text)") }

    mutating func ask(_ waiter: Int, _ want: Machine.Want) { perform { $0.demand(waiter, want, at: $1, &$2) } }

    mutating func find(_ flight: Int, _ content: Stored) {
      let step = perform { $0.loaded(flight, content, at: $1, &$2) }
      note("\(step)")
    }

    mutating func check(_ flight: Int, _ content: Stored) {
      switch perform({ $0.checked(flight, content, at: $1, &$2) }) {
      case .spend(let credential): note("spend \(credential)")
      case .step(let step): note("\(step)")
      }
    }

    mutating func renew(_ flight: Int, _ credential: String, _ outcome: WriteOutcome<String> = .written) {
      let validity = Self.validity(expiresAt: now + 100)
      let step = perform {
        $0.refreshed(flight, credential, validity, bytes: Array(credential.utf8), outcome, at: $1, &$2)
      }
      note("\(step)")
    }

    mutating func fail(_ flight: Int, retryAfter: Int? = nil) {
      let error = CredentialError(code: .refreshFailed, message: "")
      let step = perform { $0.failed(flight, error, retryAfter: retryAfter.map { .seconds($0) }, at: $1, &$2) }
      switch step {
      case .wait(let duration): note("wait\(Int(duration / .seconds(1)))")
      default: note("\(step)")
      }
    }

    mutating func refuse(_ flight: Int, _ outcome: WriteOutcome<String> = .written) {
      let step = perform { $0.refused(flight, ServerError.status(400), outcome, at: $1, &$2) }
      note("\(step)")
    }

    mutating func set(_ waiter: Int, _ credential: String) {
      let validity = Self.validity(expiresAt: now + 100)
      perform {
        $0.set(
          credential, validity, bytes: Array(credential.utf8), isIssued: false, expected: nil, waiter: waiter, at: $1,
          &$2)
      }
    }

    /// Lets whoever writes do his work.
    mutating func write(_ outcome: WriteOutcome<String> = .written) {
      guard let write = perform({ machine, moment, _ in machine.nextWrite(at: moment.elapsed) }) else {
        return note("written")
      }
      perform { $0.wrote(write, outcome, at: $1, &$2) }
    }

    /// What has been noted since the last time.
    mutating func take() -> String {
      defer { log = [] }
      return log.joined(separator: " ")
    }
  }

  private static func stored(_ credential: String, expiresAt second: Int = 100) -> Stored {
    .credential(credential, TimeLine.validity(expiresAt: second), Array(credential.utf8))
  }

  @Test("The store is read once for all, who then get what they want")
  func reading() {
    var line = TimeLine()
    line.ask(1, .loaded)
    line.ask(2, .valid)
    line.ask(3, .another(than: nil))
    #expect(line.take() == "0:fly1")
    line.find(1, Self.stored("a"))
    #expect(line.take() == "0:loaded 0:1=a 0:2=a 0:attempt", "the third still wants another one")
    line.check(1, Self.stored("a"))
    #expect(line.take() == "0:spend a")
    line.renew(1, "b")
    #expect(line.take() == "0:refreshed 0:3=b 0:stop")
    line.ask(4, .valid)
    #expect(line.take() == "0:4=b")
  }

  @Test("Who reads the store while a flight does so leaves nobody waiting")
  func readingTwice() {
    for found in [Self.stored("a"), .nothing] {
      var line = TimeLine()
      line.ask(1, .valid)
      line.perform { _ = $0.reloaded(found, at: $1, &$2) }
      line.find(1, found)
      #expect(line.log.last == "0:stop")
      #expect(line.machine.flight == nil)
      #expect(line.machine.waiters.isEmpty)
    }
    var line = TimeLine()
    line.ask(1, .another(than: nil))
    line.perform { _ = $0.reloaded(Self.stored("a"), at: $1, &$2) }
    line.find(1, Self.stored("a"))
    #expect(line.take() == "0:fly1 0:loaded 0:attempt")
  }

  @Test("A credential is good until the margin, and renewed in the background before it")
  func times() {
    var line = TimeLine()
    line.ask(1, .loaded)
    line.find(1, Self.stored("a"))
    _ = line.take()
    #expect(line.machine.wakeUp == nil)
    line.perform { machine, _, _ in machine.isAutomatic = true }
    #expect(line.machine.wakeUp == .seconds(80))
    line.now = 79
    line.perform { _, _, _ in }
    #expect(line.take() == "")
    line.now = 80
    line.perform { _, _, _ in }
    #expect(line.take() == "80:fly2")
    #expect(line.machine.wakeUp == nil)
    line.ask(2, .valid)
    #expect(line.take() == "80:2=a", "it is still good")
    line.now = 90
    line.ask(3, .valid)
    #expect(line.take() == "", "it waits for the flight")
    line.check(2, Self.stored("a"))
    line.fail(2)
    #expect(line.take() == "90:spend a 90:3=a 90:wait1", "without a server it will do")
    line.now = 100
    line.ask(4, .valid)
    line.check(2, Self.stored("a"))
    line.fail(2)
    #expect(line.take() == "100:spend a 100:refreshFailed 100:4!refreshFailed 100:stop")
    #expect(line.machine.wakeUp == .seconds(101))
    line.now = 101
    line.perform { _, _, _ in }
    line.check(3, Self.stored("a"))
    line.fail(3, retryAfter: 5)
    line.check(3, Self.stored("a"))
    line.fail(3, retryAfter: 500)
    #expect(line.take() == "101:fly3 101:spend a 101:wait5 101:spend a 101:refreshFailed 101:stop")
    #expect(line.machine.wakeUp == .seconds(109), "the wait that a server asks for is capped")
  }

  @Test("What comes late of a flight that is not wanted any more changes nothing")
  func late() {
    var line = TimeLine()
    line.ask(1, .another(than: nil))
    line.find(1, Self.stored("a"))
    line.check(1, Self.stored("a"))
    _ = line.take()
    line.set(2, "x")
    #expect(line.take() == "0:cancel 0:write 0:set 0:1=x")
    for round in 0..<2 {
      #expect(line.machine.expectation(of: 1) == nil)
      line.renew(1, "b")
      line.fail(1)
      line.refuse(1)
      line.check(1, Self.stored("b"))
      line.find(1, Self.stored("b"))
      #expect(line.take() == Array(repeating: "0:stop", count: 5).joined(separator: " "))
      #expect(line.machine.state.credential == "x")
      if round == 0 {
        line.write()
        line.write()
        #expect(line.take() == "0:2=nil 0:written")
      }
    }
  }

  @Test("While a newer session is to be written, what the store holds is no news")
  func unsaved() {
    var line = TimeLine()
    line.set(1, "x")
    line.perform { _ = $0.reloaded(Self.stored("old"), at: $1, &$2) }
    line.perform { _ = $0.reloaded(.nothing, at: $1, &$2) }
    #expect(line.take() == "0:write 0:set")
    line.set(2, "y")
    line.write(.failed(CredentialError(code: .storeUnwritable, message: "")))
    #expect(line.take() == "0:set 0:storeFailed 0:1!storeUnwritable 0:2!storeUnwritable")
    line.write()
    #expect(line.take() == "0:written")
    #expect(line.machine.wakeUp == .seconds(1))
    line.now = 1
    line.perform { _, _, _ in }
    line.write()
    line.write()
    #expect(line.take() == "1:write 1:written")
    line.perform { _ = $0.reloaded(Self.stored("z"), at: $1, &$2) }
    #expect(line.take() == "1:adopted")
  }

  @Test("Nothing is spent for somebody who does not wait any more, or has been served meanwhile")
  func nobody() {
    var line = TimeLine()
    line.ask(1, .another(than: nil))
    line.find(1, Self.stored("a"))
    line.perform { machine, _, _ in machine.withdraw(1) }
    line.check(1, Self.stored("a"))
    #expect(line.take() == "0:fly1 0:loaded 0:attempt 0:stop")
    line.ask(2, .another(than: nil))
    _ = line.perform { $0.take(Self.stored("b"), at: $1, &$2) }
    line.check(2, Self.stored("b"))
    #expect(line.take() == "0:fly2 0:adopted 0:2=b 0:stop")
  }

  @Test("A write that has been overtaken by another answers nobody")
  func overtakenWrite() {
    var line = TimeLine()
    line.set(1, "x")
    let first = line.perform { machine, moment, _ in machine.nextWrite(at: moment.elapsed) }
    line.set(2, "y")
    _ = line.take()
    if let first { line.perform { $0.wrote(first, .written, at: $1, &$2) } }
    #expect(line.take() == "")
    line.write()
    line.write()
    #expect(line.take() == "0:1=nil 0:2=nil 0:written")
  }

  @Test("What an update or a flight has written answers those who wait for an older write")
  func coveredWrite() {
    var line = TimeLine()
    line.set(1, "x")
    let number = line.machine.held?.number ?? 0
    let validity = TimeLine.validity(expiresAt: 100)
    #expect(
      line.perform { $0.updated(number, "x1", validity, bytes: Array("x1".utf8), .written, at: $1, &$2) })
    #expect(line.take() == "0:write 0:set 0:updated 0:1=nil")
    line.write()
    #expect(line.take() == "0:written")
    line.set(2, "y")
    line.ask(3, .another(than: nil))
    line.check(1, Self.stored("x1"))
    line.renew(1, "z", .failed(CredentialError(code: .storeUnwritable, message: "")))
    #expect(
      line.take()
        == "0:write 0:set 0:fly1 0:spend y 0:refreshed 0:storeFailed 0:2!storeUnwritable 0:3=z 0:stop")
  }

  @Test("A write that finds bytes that are no credential is tried again and replaces them, and is not lost")
  func writeOverGarbage() {
    for content in [Stored.garbage([1], .superseded), .unreadable(.superseded)] {
      var line = TimeLine()
      line.ask(1, .another(than: nil))
      line.find(1, Self.stored("a"))
      line.check(1, Self.stored("a"))
      line.renew(1, "b", .failed(CredentialError(code: .storeUnwritable, message: "")))
      line.now = 1
      line.perform { _, _, _ in }
      line.write(.differs(content))
      #expect(line.machine.unsaved?.bytes == Array("b".utf8))
      if case .garbage = content { #expect(line.machine.unsaved?.expected == .exactly([1])) }
      line.write()
      #expect(line.log.last == "1:written")
      #expect(line.machine.wakeUp == .seconds(3))
    }
  }

  @Test("Another's session is adopted instead of spending ours, and a refusal of ours does not end it")
  func adoption() {
    var line = TimeLine()
    line.ask(1, .another(than: nil))
    line.find(1, Self.stored("a"))
    line.check(1, Self.stored("b"))
    #expect(line.take() == "0:fly1 0:loaded 0:attempt 0:adopted 0:1=b 0:stop")
    line.ask(2, .another(than: nil))
    line.check(2, Self.stored("b"))
    line.refuse(2, .differs(Self.stored("c")))
    #expect(line.take() == "0:fly2 0:spend b 0:adopted 0:2=c 0:stop")
    line.ask(3, .another(than: nil))
    line.check(3, Self.stored("c"))
    line.renew(3, "d", .differs(.nothing))
    #expect(line.take() == "0:fly3 0:spend c 0:cancel 0:ended 0:3!absent 0:stop")
  }

  @Test("An expired session of another's is renewed in its turn, but not without end")
  func expiredAdoption() {
    var line = TimeLine()
    line.ask(1, .valid)
    line.find(1, Self.stored("a", expiresAt: 0))
    line.check(1, Self.stored("b", expiresAt: 0))
    #expect(line.take() == "0:fly1 0:loaded 0:attempt 0:adopted 0:spend b")
    line.renew(1, "c", .differs(Self.stored("d", expiresAt: 0)))
    #expect(line.take() == "0:adopted 0:attempt")
    line.check(1, Self.stored("d", expiresAt: 0))
    line.renew(1, "e", .differs(Self.stored("f", expiresAt: 0)))
    #expect(line.take() == "0:spend d 0:adopted 0:refreshFailed 0:1!superseded 0:stop")
  }

  @Test("A credential that the server has issued is not lost to a store that has turned unreadable")
  func issuedIsKept() {
    for content in [Stored.garbage([1], .superseded), .unreadable(.superseded)] {
      var line = TimeLine()
      line.ask(1, .another(than: nil))
      line.find(1, Self.stored("a"))
      line.check(1, Self.stored("a"))
      line.renew(1, "b", .differs(content))
      #expect(line.machine.state.credential == "b")
      #expect(line.machine.unsaved?.bytes == Array("b".utf8))
      #expect(line.machine.wakeUp == .seconds(1))
    }
  }

  @Test("After the end nothing begins, and nobody is left waiting")
  func retired() {
    var line = TimeLine()
    line.ask(1, .another(than: nil))
    line.find(1, Self.stored("a"))
    line.perform { machine, _, _ in machine.isAutomatic = true }
    line.perform { machine, _, _ in machine.awaitRest(2) }
    line.perform { $0.retire(at: $1, &$2) }
    #expect(line.take() == "0:fly1 0:loaded 0:attempt", "the flight has a turn to give back")
    line.check(1, Self.stored("a"))
    #expect(line.take() == "0:1!shutDown 0:2=nil 0:stop")
    line.now = 1000
    line.perform { _, _, _ in }
    line.ask(3, .valid)
    line.set(4, "x")
    #expect(line.take() == "1000:3!shutDown 1000:4!shutDown")
    #expect(line.machine.wakeUp == nil)
    #expect(line.machine.waiters.isEmpty && line.machine.writers.isEmpty)
  }
}
