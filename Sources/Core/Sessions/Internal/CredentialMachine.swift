internal import SwiftwaterHTTP

/// The decisions of a ``CredentialManager``, without I/O and without a clock.
///
/// - There is one flight at most: it reads the store, if nobody has yet, and renews the credential. Flights have
///   numbers, and what comes late from an older one is ignored: setting and clearing are final.
/// - Memory is the truth. What the store does not hold yet stands in `unsaved`, and everything else in the store that
///   is not what was last seen there is somebody else's, and newer.
struct CredentialMachine<Credential: Sendable>: Sendable {
  /// What is to be done outside of the lock.
  struct Actions: Sendable {
    /// The flight to start.
    var flight: Int?
    /// Whether the flight that was under way is not wanted any more.
    var cancelsFlight = false
    /// Whether somebody has to write what is unsaved.
    var startsWriting = false
    var publishes = false
    var events: [CredentialEvent<Credential>] = []
    var answers: [(waiter: Int, Result<Credential?, CredentialError>)] = []
  }

  /// What somebody waits for who needs the credential.
  enum Want: Sendable, Equatable {
    /// The store has been read.
    case loaded
    /// A credential that is good for a while.
    case valid
    /// Another one than that of this number; nil for whatever the store holds.
    case another(than: Int?)
  }

  enum Slot: Sendable {
    case unread
    case present(Held)
    case absent(CredentialEnd)
  }

  struct Held: Sendable {
    var credential: Credential
    /// Changes with the tokens, not with the other parts.
    let number: Int
    var validity: CredentialValidity?
    var term: CredentialTerm?
  }

  struct Write: Sendable {
    let number: Int
    let bytes: [UInt8]?
    /// What the store must hold; unknown for whatever it holds.
    let expected: StoreContent
  }

  struct Flight: Sendable {
    let number: Int
    var attempts = 0
    /// Between two attempts.
    var isWaiting = false
  }

  /// What fails in the background, where nobody notices, must not keep a processor busy.
  static var leastWait: Duration { .milliseconds(50) }

  let configuration: CredentialConfiguration
  private(set) var slot = Slot.unread
  private(set) var isRetired = false
  var isAutomatic = false
  /// Those who need the credential.
  var waiters: [Int: Want] = [:]
  /// Those who wait until the store holds what memory does, or would not take it.
  var writers: Set<Int> = []
  /// Those who wait until nothing is under way.
  private var idlers: Set<Int> = []

  // MARK: Renewing

  var flight: Flight?
  var lastFlight = 0
  var serverTime = ServerTime()
  /// Flights that have failed in a row, and when the next one begins by itself.
  var failures = 0
  var retryAt: Duration?
  var refreshTrouble: CredentialError?

  // MARK: Storing

  /// What was last seen in the store or written there.
  var stored = StoreContent.unknown
  var unsaved: Write?
  var lastWrite = 0
  var isWriting = false
  /// Writes that have failed in a row, and when the next one begins.
  var saveFailures = 0
  var saveAt: Duration?
  var storeTrouble: CredentialError?

  /// Counts the credentials and their ends, so that it tells whether somebody has signed in or out meanwhile.
  private(set) var lastNumber = 0

  init(_ configuration: CredentialConfiguration) { self.configuration = configuration }

  // MARK: - What there is

  var held: Held? {
    if case .present(let held) = slot { held } else { nil }
  }

  var isUnread: Bool {
    if case .unread = slot { true } else { false }
  }

  /// What those are told who need a credential, if there is none.
  var absence: CredentialError? {
    if case .absent(let end) = slot { .absent(end) } else { nil }
  }

  /// The credential, if it is good for a while.
  func valid(at now: Duration) -> Credential? {
    guard case .present(let held) = slot else { return nil }
    guard let term = held.term else { return held.credential }
    return now < term.unfit ? held.credential : nil
  }

  var state: CredentialState<Credential> {
    switch slot {
    case .unread: .unread(storeTrouble)
    case .present(let held): .present(held.credential, trouble: refreshTrouble ?? storeTrouble)
    case .absent(let end): .absent(end)
    }
  }

  // MARK: - Waiting

  /// Somebody wants something: answers at once, or remembers it.
  mutating func demand(_ waiter: Int, _ want: Want, at moment: Moment, _ actions: inout Actions) {
    var want = want
    if case .another(nil) = want, let held { want = .another(than: held.number) }
    if let answer = answer(to: want, at: moment.elapsed) {
      actions.answers.append((waiter, answer))
    } else if isRetired {
      actions.answers.append((waiter, .failure(.shutDown)))
    } else {
      waiters[waiter] = want
    }
  }

  /// Somebody wants to know when nothing is under way.
  mutating func awaitRest(_ waiter: Int) { idlers.insert(waiter) }

  /// Somebody does not wait any more.
  mutating func withdraw(_ waiter: Int) {
    waiters[waiter] = nil
    writers.remove(waiter)
    idlers.remove(waiter)
  }

  private func answer(to want: Want, at now: Duration) -> Result<Credential?, CredentialError>? {
    switch (want, slot) {
    case (_, .unread): nil
    case (.loaded, .absent): .success(nil)
    case (_, .absent(let end)): .failure(.absent(end))
    case (.loaded, .present(let held)): .success(held.credential)
    case (.valid, .present): valid(at: now).map { .success($0) }
    case (.another(let number), .present(let held)):
      number != nil && number != held.number ? valid(at: now).map { .success($0) } : nil
    }
  }

  /// Answers those who wait for the credential and can have it now.
  mutating func serve(at now: Duration, _ actions: inout Actions) {
    for (waiter, want) in waiters {
      guard let answer = answer(to: want, at: now) else { continue }
      waiters[waiter] = nil
      actions.answers.append((waiter, answer))
    }
  }

  /// Answers all who wait for the credential.
  mutating func serveAll(_ answer: Result<Credential?, CredentialError>, _ actions: inout Actions) {
    actions.answers += waiters.keys.map { ($0, answer) }
    waiters = [:]
  }

  // MARK: - Changing

  /// A credential takes the place of whatever was there.
  mutating func hold(
    _ credential: Credential, _ validity: CredentialValidity?, isIssued: Bool, at moment: Moment,
    _ actions: inout Actions
  ) {
    lastNumber += 1
    replaceSlot(
      .present(
        Held(
          credential: credential, number: lastNumber, validity: validity,
          term: validity.map { term($0, isIssued: isIssued, at: moment) })), &actions)
    failures = 0
    retryAt = nil
    refreshTrouble = nil
  }

  mutating func replaceSlot(_ new: Slot, _ actions: inout Actions) {
    slot = new
    actions.publishes = true
  }

  mutating func term(_ validity: CredentialValidity, isIssued: Bool, at moment: Moment) -> CredentialTerm {
    let remaining =
      isIssued
      ? serverTime.remaining(ofIssued: validity, at: moment) : serverTime.remaining(ofKept: validity, at: moment)
    return CredentialTerm(
      remaining: remaining, lifetime: ServerTime.lifetime(validity), now: moment.elapsed, margin: configuration.margin,
      lead: configuration.lead)
  }

  /// There is no credential any more.
  mutating func end(_ end: CredentialEnd, _ actions: inout Actions) {
    lastNumber += 1
    replaceSlot(.absent(end), &actions)
    actions.events.append(.ended(end))
    abandonFlight(&actions)
    failures = 0
    retryAt = nil
    refreshTrouble = nil
    serve(at: .zero, &actions)
  }

  /// The store cannot be read or written.
  mutating func noteStoreTrouble(_ error: CredentialError, _ actions: inout Actions) {
    storeTrouble = error
    actions.events.append(.storeFailed(error))
    actions.publishes = true
  }

  // MARK: - Going on

  /// Nothing is begun any more. An attempt that is under way goes on, as it may have spent something.
  mutating func retire(at moment: Moment, _ actions: inout Actions) {
    isRetired = true
    isAutomatic = false
    saveAt = nil
    guard flight?.isWaiting == true else { return }
    giveUp(.shutDown, retryAfter: nil, at: moment, &actions)
    actions.cancelsFlight = true
  }

  /// What is due begins. Follows every decision.
  mutating func settle(at moment: Moment, _ actions: inout Actions) {
    if isRetired, flight == nil { serveAll(.failure(.shutDown), &actions) }
    if !isRetired, flight == nil, !waiters.isEmpty || refreshAt.map({ $0 <= moment.elapsed }) ?? false {
      lastFlight += 1
      flight = Flight(number: lastFlight)
      actions.flight = lastFlight
    }
    if unsaved == nil { answerWriters(.success(nil), &actions) }
    if unsaved != nil, !isWriting, saveAt.map({ $0 <= moment.elapsed }) ?? true {
      isWriting = true
      actions.startsWriting = true
    }
    guard flight == nil, !isWriting else { return }
    actions.answers += idlers.map { ($0, .success(nil)) }
    idlers = []
  }

  /// When something is due next.
  var wakeUp: Duration? {
    guard !isRetired else { return nil }
    let save = unsaved != nil && !isWriting ? saveAt : nil
    let refresh = flight == nil ? refreshAt : nil
    guard let save, let refresh else { return save ?? refresh }
    return min(save, refresh)
  }

  /// When a flight begins by itself.
  private var refreshAt: Duration? {
    guard isAutomatic else { return nil }
    switch slot {
    case .unread: return retryAt ?? .zero
    case .present(let held): return held.term.map { max($0.due, retryAt ?? .zero) }
    case .absent: return nil
    }
  }
}
