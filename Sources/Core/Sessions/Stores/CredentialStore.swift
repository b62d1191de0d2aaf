/// Where a ``CredentialManager`` keeps its credential between runs of the program: one entry, bytes or nothing.
///
/// Implement the first three members; the others have defaults that fit a store that only this process uses. A manager
/// calls them one at a time, ``load()`` excepted.
///
/// - Errors: Throw when the entry cannot be read or written. Nothing stored is no error, and an error must never look
///   like nothing stored: that would sign a user out. An error's words must not contain the bytes.
public protocol CredentialStore: Sendable {
  /// What is stored; nil if nothing is.
  func load() async throws -> [UInt8]?

  /// Replaces what is stored, entirely or not at all.
  func save(_ bytes: [UInt8]) async throws

  /// Removes what is stored, if anything is.
  func remove() async throws

  /// Replaces what is stored, but only if that is `expected`, in one step that no other process can come between.
  ///
  /// - Parameters:
  ///   - expected: What must be stored; nil for nothing.
  ///   - new: What is to be stored; nil to remove it.
  /// - Returns: Whether it was replaced.
  func compareAndSwap(_ expected: [UInt8]?, _ new: [UInt8]?) async throws -> Bool

  /// Runs `body` while no other manager on the same entry, in whatever process, runs one.
  ///
  /// A refresh runs in here, so that no two processes spend the same refresh token. The other members must not wait for
  /// it: signing out does not take as long as somebody's refresh does.
  ///
  /// - Throws: What `body` throws; ``CredentialError`` with code `storeBusy` when it is not this one's turn for too
  ///   long; `CancellationError` at once when the task is cancelled while it waits.
  func withExclusiveAccess<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result
}

extension CredentialStore {
  /// Loads, compares and saves, which suffices where only one manager uses the entry.
  public func compareAndSwap(_ expected: [UInt8]?, _ new: [UInt8]?) async throws -> Bool {
    guard try await load() == expected else { return false }
    if let new { try await save(new) } else { try await remove() }
    return true
  }

  /// Runs `body`, which suffices where only one manager uses the entry.
  public func withExclusiveAccess<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await body()
  }
}
