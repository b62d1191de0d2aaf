internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// What tasks and callers share behind the lock.
extension CredentialCore {
  typealias Continuation = CheckedContinuation<Credential?, any Error>

  enum Letter: Sendable {
    case state(CredentialState<Credential>)
    case event(CredentialEvent<Credential>)
    case answer(Continuation, Result<Credential?, any Error>)
  }

  /// What to do outside of the lock.
  struct Work: Sendable {
    var flight: Int?
    var startsWriting = false
    var timer: Shared.Timer?
    var obsoleteFlight: Task<Void, Never>?
    var obsoleteTimer: Task<Void, Never>?
    /// These may hold the last references to values of the caller's.
    let previous: (slot: Machine.Slot, troubles: [CredentialError?])
    var previousGrant: ReadyCredential<Credential>.Grant?
  }

  struct Shared {
    struct Timer: Sendable, Equatable {
      let number: Int
      let at: Duration
    }

    var machine: Machine
    var waiting: [Int: Continuation] = [:]
    private var flight: Task<Void, Never>?
    private var timer: Timer?
    private var timerTask: Task<Void, Never>?
    private var outbox: [Letter] = []
    /// Somebody delivers; whoever adds letters meanwhile leaves them to him.
    private var isDelivering = false
    private var lastNumber = 0

    init(machine: Machine) { self.machine = machine }

    mutating func drawNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    mutating func refuse(_ continuation: Continuation) {
      outbox.append(.answer(continuation, .failure(CancellationError())))
    }

    mutating func withdraw(_ waiter: Int) -> Continuation? {
      machine.withdraw(waiter)
      return waiting.removeValue(forKey: waiter)
    }

    /// Lets the machine decide, and says what is to be done.
    mutating func change<Result>(
      at moment: Moment, ready: ReadyCredential<Credential>,
      _ decision: (inout Shared, Moment, inout Actions) -> Result
    ) -> (Result, Work) {
      let previous = (machine.slot, [machine.refreshTrouble, machine.storeTrouble])
      var actions = Actions()
      let result = decision(&self, moment, &actions)
      machine.settle(at: moment, &actions)
      var work = Work(flight: actions.flight, startsWriting: actions.startsWriting, previous: previous)
      if actions.cancelsFlight || actions.flight != nil {
        work.obsoleteFlight = flight
        flight = nil
      }
      if machine.wakeUp != timer?.at {
        work.obsoleteTimer = timerTask
        timerTask = nil
        timer = machine.wakeUp.map { Timer(number: drawNumber(), at: $0) }
        work.timer = timer
      }
      if actions.publishes {
        // In here, so that what the program says holds when it has said it.
        work.previousGrant = ready.replace(machine.held.map { .init($0.credential, unfit: $0.term?.unfit) })
        outbox.append(.state(machine.state))
      }
      outbox += actions.events.map { .event($0) }
      for (waiter, answer) in actions.answers {
        guard let continuation = waiting.removeValue(forKey: waiter) else { continue }
        outbox.append(.answer(continuation, answer.mapError { $0 }))
      }
      return (result, work)
    }

    mutating func keep(_ task: Task<Void, Never>, flight number: Int) -> Bool {
      guard machine.isCurrent(number) else { return false }
      flight = task
      return true
    }

    mutating func keep(_ task: Task<Void, Never>, timer: Timer) -> Bool {
      guard self.timer == timer else { return false }
      timerTask = task
      return true
    }

    mutating func timerFired(_ timer: Timer) {
      guard self.timer == timer else { return }
      self.timer = nil
      timerTask = nil
    }

    mutating func takeLetters(isFirst: Bool) -> [Letter]? {
      if isFirst, isDelivering { return nil }
      isDelivering = !outbox.isEmpty
      guard isDelivering else { return nil }
      let letters = outbox
      outbox = []
      return letters
    }
  }
}
