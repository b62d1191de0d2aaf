internal import SwiftwaterHTTP

/// Reading and writing the store.
extension CredentialCore {
  func read() async -> StoredCredential<Credential> {
    do { return interpret(try await store.load()) } catch { return .unreadable(.unreadable(error)) }
  }

  /// Reads the store at once, if it can be and nobody has tried yet.
  func readImmediately() {
    guard look({ $0.isUnread && $0.storeTrouble == nil }), let store = store as? any SynchronousCredentialStore
    else { return }
    let content: StoredCredential<Credential>
    do { content = interpret(try store.loadImmediately()) } catch { content = .unreadable(.unreadable(error)) }
    decide { machine, moment, actions in
      if machine.isUnread { _ = machine.take(content, at: moment, &actions) }
    }
  }

  private func interpret(_ bytes: [UInt8]?) -> StoredCredential<Credential> {
    guard let bytes else { return .nothing }
    do {
      let credential = try scheme.decode(bytes)
      return .credential(credential, scheme.validity(credential), bytes)
    } catch {
      // A decoder's own words may quote what it has read.
      return .garbage(
        bytes,
        CredentialError(
          code: .undecodable, message: "The store holds no credential of this kind; set one, or clear it.",
          cause: error))
    }
  }

  func encode(_ credential: Credential) throws(CredentialError) -> [UInt8] {
    do { return try scheme.encode(credential) } catch {
      throw CredentialError(
        code: .unencodable, message: "The credential cannot be turned into bytes for the store.", cause: error)
    }
  }

  /// Replaces what is stored, if it is what was expected.
  func write(_ new: [UInt8]?, expecting expected: StoreContent) async -> WriteOutcome<Credential> {
    do {
      switch (expected, new) {
      case (.unknown, let new?): try await store.save(new)
      case (.unknown, nil): try await store.remove()
      case (.exactly(let old), let new):
        guard try await store.compareAndSwap(old, new) else { return .differs(await read()) }
      }
      return .written
    } catch {
      return .failed(.unwritable(error))
    }
  }

  /// Runs `body` when nobody else of this manager writes. Also in a task that was cancelled: what was spent is stored.
  func writing<Result: Sendable>(_ body: () async -> Result) async -> Result {
    await writers.withUncancelledLock(body)
  }

  /// Brings the store up to memory.
  func writeUnsaved() async {
    while await writeOnce() {}
  }

  /// Returns whether there was anything to write.
  private func writeOnce() async -> Bool {
    await writing {
      // Looked up in here: what is newer than memory's last word must not be written over.
      let write = decide { machine, moment, _ in machine.nextWrite(at: moment.elapsed) }
      guard let write else { return false }
      let outcome = await self.write(write.bytes, expecting: write.expected)
      decide { machine, moment, actions in machine.wrote(write, outcome, at: moment, &actions) }
      return true
    }
  }
}
