extension CredentialManager {
  /// Puts a credential in force, for instance after signing in, whatever was there or under way.
  ///
  /// It is in force, also for those who wait, when this is called, and in the store when it returns. A task that is
  /// cancelled meanwhile changes nothing about that.
  ///
  /// - Parameters:
  ///   - credential: The new one.
  ///   - isIssued: Whether the server has issued it just now. Then its lifetime counts from here, whatever the clock on
  ///     the wall says; otherwise its `expiresAt` decides.
  ///   - snapshot: What must still be there; nil, as by default, for anything. For what a request has brought that was
  ///     made with a credential which somebody may have replaced or cleared meanwhile.
  /// - Throws: ``CredentialError`` with code `unencodable`, `superseded` or `shutDown`, and nothing has changed; with
  ///   code `storeUnwritable`, and it holds in memory and is stored as soon as that works; `CancellationError`.
  public func set(
    _ credential: Credential, isIssued: Bool = false, replacing snapshot: CredentialSnapshot<Credential>? = nil
  ) async throws {
    let bytes = try core.encode(credential)
    let validity = core.scheme.validity(credential)
    _ = try await core.wait { machine, waiter, moment, actions in
      machine.set(
        credential, validity, bytes: bytes, isIssued: isIssued, expected: snapshot?.number, waiter: waiter, at: moment,
        &actions)
    }
  }

  /// What there is at this moment, from the store if nobody has read that yet.
  ///
  /// - Throws: As ``load()`` does.
  public func snapshot() async throws -> CredentialSnapshot<Credential> {
    _ = try await load()
    return core.look { CredentialSnapshot(credential: $0.held?.credential, number: $0.lastNumber) }
  }

  /// Ends the credential, for instance to sign out, whatever was there or under way.
  ///
  /// It is gone for this program when this is called, and from the store when it returns; a refresh that is under way
  /// is cancelled, and what it brings is dropped. Those who wait for it get ``CredentialError/Code/absent``.
  ///
  /// - Parameter reason: What ``CredentialState/absent(_:)`` says; `cleared` unless given.
  /// - Returns: What there was, for instance to revoke it; nil if there was nothing or nobody had read the store yet.
  /// - Throws: ``CredentialError`` with code `shutDown`; with code `storeUnwritable`, and it is gone for this program
  ///   and is removed from the store as soon as that works; `CancellationError`, likewise.
  @discardableResult
  public func clear(_ reason: CredentialEnd.Reason = .cleared) async throws -> Credential? {
    var credential: Credential?
    _ = try await core.wait { machine, waiter, _, actions in
      credential = machine.clear(reason, waiter: waiter, &actions)
    }
    return credential
  }

  /// Changes parts of the credential that are not its tokens, such as what is known about the user.
  ///
  /// It waits for a refresh that is under way, here or in another process that shares the store, and then changes the
  /// newest credential: neither of the two is lost.
  ///
  /// - Parameter change: Changes it. What it throws is thrown, and nothing has changed. If it finds another user's
  ///   credential than it meant, it should throw.
  /// - Returns: The changed credential.
  /// - Throws: ``CredentialError`` with code `absent`, or `superseded` if the program has set or cleared it meanwhile;
  ///   with code `storeUnwritable`, and the change holds in memory; `CancellationError`.
  @discardableResult
  public func update(_ change: (inout Credential) throws -> Void) async throws -> Credential {
    _ = try await load()
    let (credential, error) = try await core.update(change)
    if let error { throw error }
    return credential
  }

  /// Reads the store again, for instance when an app comes back to the front: another process may have renewed the
  /// credential, or signed out.
  ///
  /// - Returns: The credential, good or expired; nil if there is none.
  /// - Throws: ``CredentialError`` with code `storeUnreadable`, `undecodable` or `shutDown`, and the one in memory is
  ///   kept; `CancellationError`.
  @discardableResult
  public func reload() async throws -> Credential? {
    try await core.reload()
  }
}
