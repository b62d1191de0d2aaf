internal import SwiftwaterStreams

/// A store that forgets when it is released: for tests, and for credentials that shall not outlive the program.
///
/// - Threading: safe to use from any thread, and by several managers.
public final class MemoryCredentialStore: SynchronousCredentialStore, CustomReflectable {
  private let bytes: LockIsolated<[UInt8]?>
  private let turns = AsyncLock()

  /// A store that holds these bytes; nothing unless given.
  public init(_ bytes: [UInt8]? = nil) { self.bytes = LockIsolated(bytes) }

  /// What is stored.
  public func loadImmediately() -> [UInt8]? { bytes.value }

  /// What is stored.
  public func load() async -> [UInt8]? { bytes.value }

  /// Replaces what is stored.
  public func save(_ bytes: [UInt8]) async { self.bytes.withLock { $0 = bytes } }

  /// Removes what is stored.
  public func remove() async { bytes.withLock { $0 = nil } }

  /// Replaces what is stored if that is `expected`.
  public func compareAndSwap(_ expected: [UInt8]?, _ new: [UInt8]?) async -> Bool {
    bytes.withLock { bytes in
      guard bytes == expected else { return false }
      bytes = new
      return true
    }
  }

  /// Runs `body` when it is its turn among those who use this object.
  public func withExclusiveAccess<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await turns.withLock(body)
  }

  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
