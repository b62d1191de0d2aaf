public import FoundationEssentials
internal import SwiftwaterStreams

/// A storage that forgets when it is released: for tests and for servers that act for many users.
///
/// - Threading: safe to use from any thread.
public final class InMemoryLocalStorage: AuthLocalStorage, CustomReflectable {
  private let values = LockIsolated<[String: Data]>([:])

  /// A storage that holds nothing.
  public init() {}

  /// Replaces what is stored under the key.
  public func store(key: String, value: Data) { values.withLock { $0[key] = value } }
  /// What is stored under the key; nil if nothing is.
  public func retrieve(key: String) -> Data? { values.withLock { $0[key] } }
  /// Removes what is stored under the key.
  public func remove(key: String) { values.withLock { $0[key] = nil } }

  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
