internal import SwiftwaterHTTP

/// Bringing the store up to memory.
extension CredentialMachine {
  /// This is to be in the store, whatever it holds now.
  mutating func write(_ bytes: [UInt8]?, waiter: Int) {
    lastWrite += 1
    unsaved = Write(number: lastWrite, bytes: bytes, expected: .unknown)
    saveAt = nil
    writers.insert(waiter)
  }

  /// What is to be written now; nil if nothing is, which ends the writing.
  mutating func nextWrite(at now: Duration) -> Write? {
    if let unsaved, saveAt.map({ $0 <= now }) ?? true { return unsaved }
    isWriting = false
    return nil
  }

  /// A write has ended.
  mutating func wrote(
    _ write: Write, _ outcome: WriteOutcome<Credential>, at moment: Moment, _ actions: inout Actions
  ) {
    guard unsaved?.number == write.number else {
      // A newer one has to be written; what came of this one matters no more.
      if case .written = outcome { stored = .exactly(write.bytes) }
      return
    }
    if case .differs(let content) = outcome, content.isSomebodyElses {
      unsaved = nil
      _ = reloaded(content, at: moment, &actions)
    } else {
      noteWrite(of: write.bytes, outcome, at: moment, &actions)
    }
  }

  /// What somebody has written, or not.
  ///
  /// - Parameter bytes: nil for a credential that could not be encoded, and for none.
  mutating func noteWrite(
    of bytes: [UInt8]?, _ outcome: WriteOutcome<Credential>, at moment: Moment, _ actions: inout Actions
  ) {
    switch outcome {
    case .written:
      unsaved = nil
      stored = .exactly(bytes)
      saveFailures = 0
      noteStoreWorks(&actions)
    case .failed(let error) where error.code == .unencodable:
      noteStoreTrouble(error, &actions)
    case .failed(let error), .differs(.unreadable(let error)):
      leaveUnsaved(bytes, expected: unsaved?.expected ?? stored, because: error, at: moment, &actions)
    case .differs(.garbage(let garbage, let error)):
      // No reason to lose a credential that is one.
      stored = .exactly(garbage)
      leaveUnsaved(bytes, expected: stored, because: error, at: moment, &actions)
    case .differs(.nothing), .differs(.credential):
      break
    }
  }

  private mutating func leaveUnsaved(
    _ bytes: [UInt8]?, expected: StoreContent, because error: CredentialError, at moment: Moment,
    _ actions: inout Actions
  ) {
    lastWrite += 1
    unsaved = Write(number: lastWrite, bytes: bytes, expected: expected)
    saveFailures += 1
    saveAt = moment.elapsed + max(configuration.backoff.delay(afterFailure: saveFailures), Self.leastWait)
    noteStoreTrouble(error, &actions)
    answerWriters(.failure(error), &actions)
  }

  /// The store has been read or written.
  mutating func noteStoreWorks(_ actions: inout Actions) {
    guard storeTrouble != nil else { return }
    storeTrouble = nil
    actions.publishes = true
  }

  mutating func answerWriters(_ answer: Result<Credential?, CredentialError>, _ actions: inout Actions) {
    actions.answers += writers.map { ($0, answer) }
    writers = []
  }
}
