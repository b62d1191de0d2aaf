internal import SwiftwaterHTTP

/// Renewing. Each call says what the flight does next; a flight that is not current any more stops.
extension CredentialMachine {
  enum Step: Sendable, Equatable {
    /// Read the store.
    case read
    /// Take the turn among processes, and renew the credential.
    case attempt
    /// Wait for so long, and go on then.
    case wait(Duration)
    case stop
  }

  /// What an attempt does next, when it has looked into the store.
  enum Check: Sendable {
    case spend(Credential)
    case step(Step)
  }

  func isCurrent(_ flight: Int) -> Bool { flight == self.flight?.number }

  /// What a flight does at first, and after a wait.
  mutating func nextStep(of flight: Int) -> Step {
    guard isCurrent(flight) else { return .stop }
    self.flight?.isWaiting = false
    if case .unread = slot { return .read }
    return .attempt
  }

  /// The store has been read for the first time.
  mutating func loaded(
    _ flight: Int, _ content: StoredCredential<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> Step {
    guard isCurrent(flight) else { return .stop }
    // Somebody who does not fly may have read it meanwhile.
    guard isUnread else { return stopUnlessNeeded(at: moment) }
    if let error = take(content, at: moment, &actions) {
      giveUp(error, retryAfter: nil, at: moment, &actions)
      return .stop
    }
    return stopUnlessNeeded(at: moment)
  }

  /// An attempt has its turn, and has looked whether somebody else was faster.
  mutating func checked(
    _ flight: Int, _ content: StoredCredential<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> Check {
    guard isCurrent(flight) else { return .step(.stop) }
    guard !isRetired else {
      giveUp(.shutDown, retryAfter: nil, at: moment, &actions)
      return .step(.stop)
    }
    let previous = held?.number
    // Garbage and what cannot be read have been noted; the credential in memory is as good as before.
    _ = take(content, at: moment, &actions)
    guard let held else { return .step(.stop) }
    // Nothing is spent for nobody.
    let isNews = held.number != previous || self.flight?.attempts == 0
    if isNews, stopUnlessNeeded(at: moment) == .stop { return .step(.stop) }
    self.flight?.attempts += 1
    return .spend(held.credential)
  }

  /// What the store must hold, so that the outcome of an attempt may be written; nil if it is not wanted any more.
  func expectation(of flight: Int) -> StoreContent? {
    guard isCurrent(flight), held != nil else { return nil }
    return unsaved?.expected ?? stored
  }

  /// An attempt has led to a new credential, and to this outcome of writing it.
  ///
  /// - Parameter bytes: nil if it could not be encoded.
  mutating func refreshed(
    _ flight: Int, _ new: Credential, _ validity: CredentialValidity?, bytes: [UInt8]?,
    _ outcome: WriteOutcome<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> Step {
    guard isCurrent(flight) else { return .stop }
    if case .differs(let content) = outcome, content.isSomebodyElses {
      return overtaken(by: content, at: moment, &actions)
    }
    hold(new, validity, isIssued: true, at: moment, &actions)
    actions.events.append(.refreshed(new))
    noteWrite(of: bytes, outcome, at: moment, &actions)
    self.flight = nil
    guard let held else { return .stop }
    serveAll(.success(held.credential), &actions)
    return .stop
  }

  /// The server has refused for good, and this came of removing the credential from the store.
  mutating func refused(
    _ flight: Int, _ cause: any Error, _ outcome: WriteOutcome<Credential>, at moment: Moment,
    _ actions: inout Actions
  ) -> Step {
    guard isCurrent(flight) else { return .stop }
    if case .differs(let content) = outcome, content.isSomebodyElses {
      // Not this credential's affair.
      return overtaken(by: content, at: moment, &actions)
    }
    end(CredentialEnd(reason: .refused, cause: cause), &actions)
    if case .differs = outcome { unsaved = nil } else { noteWrite(of: nil, outcome, at: moment, &actions) }
    return .stop
  }

  /// An attempt has failed for this time.
  mutating func failed(
    _ flight: Int, _ error: CredentialError, retryAfter: Duration?, at moment: Moment, _ actions: inout Actions
  ) -> Step {
    guard isCurrent(flight) else { return .stop }
    // Nobody has to wait who can do with what is still good.
    if let held, held.term.map({ moment.elapsed < $0.end }) ?? true {
      for (waiter, want) in waiters where want == .valid {
        waiters[waiter] = nil
        actions.answers.append((waiter, .success(held.credential)))
      }
    }
    let attempts = self.flight?.attempts ?? 0
    guard attempts < configuration.attempts, !isRetired, attempts > 0 else {
      giveUp(error, retryAfter: retryAfter, at: moment, &actions)
      return .stop
    }
    self.flight?.isWaiting = true
    return .wait(delay(afterFailure: attempts, retryAfter: retryAfter))
  }

  /// Nobody wants what the flight is about any more.
  mutating func abandonFlight(_ actions: inout Actions) {
    guard flight != nil else { return }
    flight = nil
    actions.cancelsFlight = true
  }

  // MARK: - Steps

  /// Another one's credential was in the store.
  private mutating func overtaken(
    by content: StoredCredential<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> Step {
    yield(to: content, at: moment, &actions)
    guard held != nil, stopUnlessNeeded(at: moment) == .attempt else { return .stop }
    guard (flight?.attempts ?? 0) < configuration.attempts else {
      giveUp(.superseded, retryAfter: nil, at: moment, &actions)
      return .stop
    }
    return .attempt
  }

  private mutating func stopUnlessNeeded(at moment: Moment) -> Step {
    guard let held else {
      flight = nil
      return .stop
    }
    let isDue = isAutomatic && held.term.map { $0.due <= moment.elapsed } ?? false
    if !waiters.isEmpty || isDue { return .attempt }
    flight = nil
    return .stop
  }

  mutating func giveUp(
    _ error: CredentialError, retryAfter: Duration?, at moment: Moment, _ actions: inout Actions
  ) {
    flight = nil
    failures += 1
    retryAt = moment.elapsed + max(delay(afterFailure: failures, retryAfter: retryAfter), Self.leastWait)
    if held != nil, !isRetired {
      refreshTrouble = error
      actions.events.append(.refreshFailed(error))
      actions.publishes = true
    }
    serveAll(.failure(error), &actions)
  }

  private func delay(afterFailure failure: Int, retryAfter: Duration?) -> Duration {
    let backoff = configuration.backoff
    return retryAfter.map { min(max($0, .zero), backoff.cap) } ?? backoff.delay(afterFailure: failure)
  }
}
