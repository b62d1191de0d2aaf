internal import SwiftwaterHTTP

/// Changes that begin with what is in the store.
extension CredentialCore {
  /// Changes parts of the newest credential. Returns why it could not be stored, if so.
  func update(_ change: (inout Credential) throws -> Void) async throws -> (Credential, CredentialError?) {
    try await turns.withLock {
      try await store.withExclusiveAccess {
        try await writers.withLock {
          while true {
            if let changed = try await updateOnce(change) { return changed }
          }
        }
      }
    }
  }

  /// Returns nil when somebody else has changed the store meanwhile.
  private func updateOnce(_ change: (inout Credential) throws -> Void) async throws -> (Credential, CredentialError?)? {
    let content = await read()
    let basis = decide { machine, moment, actions -> (Machine.Held, StoreContent)? in
      _ = machine.take(content, at: moment, &actions)
      return machine.held.map { ($0, machine.unsaved?.expected ?? machine.stored) }
    }
    guard !look({ $0.isRetired }) else { throw CredentialError.shutDown }
    guard let (held, expected) = basis else { throw look { $0.absence } ?? .superseded }
    var credential = held.credential
    try change(&credential)
    let bytes = try encode(credential)
    let outcome = await write(bytes, expecting: expected)
    if case .differs(let content) = outcome, content.isSomebodyElses {
      decide { machine, moment, actions in machine.yield(to: content, at: moment, &actions) }
      return nil
    }
    let (changed, validity) = (credential, scheme.validity(credential))
    let isInForce = decide { machine, moment, actions in
      machine.updated(held.number, changed, validity, bytes: bytes, outcome, at: moment, &actions)
    }
    guard isInForce else { throw CredentialError.superseded }
    guard case .failed(let error) = outcome else { return (changed, nil) }
    return (changed, error)
  }

  /// Reads the store, whether or not that was done before.
  func reload() async throws -> Credential? {
    try await writers.withLock {
      let content = await read()
      let (credential, error) = decide { machine, moment, actions -> (Credential?, CredentialError?) in
        guard !machine.isRetired else { return (nil, .shutDown) }
        let error = machine.reloaded(content, at: moment, &actions)
        return (machine.held?.credential, error)
      }
      if let error { throw error }
      return credential
    }
  }
}
