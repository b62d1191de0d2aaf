internal import SwiftwaterHTTP

/// What the program, or somebody else by way of the store, does to the credential.
extension CredentialMachine {
  /// Another credential is in force, from now on, whatever was under way.
  ///
  /// - Parameters:
  ///   - isIssued: Whether the server has issued it just now.
  ///   - expected: The number that must not have changed meanwhile; nil for any.
  ///   - waiter: Waits for the store.
  mutating func set(
    _ credential: Credential, _ validity: CredentialValidity?, bytes: [UInt8], isIssued: Bool, expected: Int?,
    waiter: Int, at moment: Moment, _ actions: inout Actions
  ) {
    guard !isRetired else { return actions.answers.append((waiter, .failure(.shutDown))) }
    guard expected.map({ $0 == lastNumber }) ?? true else {
      return actions.answers.append((waiter, .failure(.superseded)))
    }
    abandonFlight(&actions)
    hold(credential, validity, isIssued: isIssued, at: moment, &actions)
    actions.events.append(.set(credential))
    write(bytes, waiter: waiter)
    serve(at: moment.elapsed, &actions)
  }

  /// There is no credential, from now on, whatever was under way.
  ///
  /// - Returns: What there was.
  mutating func clear(_ reason: CredentialEnd.Reason, waiter: Int, _ actions: inout Actions) -> Credential? {
    guard !isRetired else {
      actions.answers.append((waiter, .failure(.shutDown)))
      return nil
    }
    let credential = held?.credential
    if case .absent = slot {} else { end(CredentialEnd(reason: reason), &actions) }
    write(nil, waiter: waiter)
    return credential
  }

  /// Parts of a credential have changed, and this came of writing it.
  ///
  /// - Parameter number: The credential's.
  /// - Returns: Whether it is in force.
  mutating func updated(
    _ number: Int, _ credential: Credential, _ validity: CredentialValidity?, bytes: [UInt8],
    _ outcome: WriteOutcome<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> Bool {
    guard var held, held.number == number else { return false }
    if held.validity != validity {
      held.validity = validity
      held.term = validity.map { term($0, isIssued: false, at: moment) }
    }
    held.credential = credential
    replaceSlot(.present(held), &actions)
    actions.events.append(.updated(credential))
    noteWrite(of: bytes, outcome, at: moment, &actions)
    return true
  }

  /// The store was read again, on demand or since a write found something else than expected.
  ///
  /// - Returns: Why it is not known what it holds.
  mutating func reloaded(
    _ content: StoredCredential<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> CredentialError? {
    let previous = held?.number
    let error = take(content, at: moment, &actions)
    // A refresh of the older one is not wanted any more.
    if let previous, held?.number != previous { abandonFlight(&actions) }
    return error
  }

  /// Somebody else has written what is newer than what this one has not written yet.
  mutating func yield(to content: StoredCredential<Credential>, at moment: Moment, _ actions: inout Actions) {
    unsaved = nil
    _ = take(content, at: moment, &actions)
  }

  /// Takes what is in the store for what is in force, if it is news.
  ///
  /// - Returns: Why it is not known what the store holds.
  mutating func take(
    _ content: StoredCredential<Credential>, at moment: Moment, _ actions: inout Actions
  ) -> CredentialError? {
    // What memory has is newer.
    guard unsaved == nil else { return nil }
    switch content {
    case .unreadable(let error):
      noteStoreTrouble(error, &actions)
      return error
    case .garbage(let bytes, let error):
      if stored != .exactly(bytes) { noteStoreTrouble(error, &actions) }
      stored = .exactly(bytes)
      return error
    case .nothing:
      noteStoreWorks(&actions)
      if stored == .exactly(nil), case .absent = slot { return nil }
      stored = .exactly(nil)
      if held != nil {
        end(CredentialEnd(reason: .removedElsewhere), &actions)
      } else if case .unread = slot {
        replaceSlot(.absent(CredentialEnd(reason: .neverSet)), &actions)
        serve(at: moment.elapsed, &actions)
      }
    case .credential(let credential, let validity, let bytes):
      noteStoreWorks(&actions)
      let isFirst = if case .unread = slot { true } else { false }
      guard stored != .exactly(bytes) || isFirst else { return nil }
      stored = .exactly(bytes)
      hold(credential, validity, isIssued: false, at: moment, &actions)
      actions.events.append(isFirst ? .loaded(credential) : .adopted(credential))
      if isFirst, let held {
        for (waiter, want) in waiters where want == .another(than: nil) {
          waiters[waiter] = .another(than: held.number)
        }
      }
      serve(at: moment.elapsed, &actions)
    }
    return nil
  }
}

extension StoredCredential {
  /// Whether somebody else has, so to say, signed in or out.
  var isSomebodyElses: Bool {
    switch self {
    case .nothing, .credential: true
    case .garbage, .unreadable: false
    }
  }
}
