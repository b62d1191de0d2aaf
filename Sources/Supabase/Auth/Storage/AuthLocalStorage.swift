public import FoundationEssentials

/// Where a client keeps its session between runs of the program: bytes by key.
///
/// Any implementation that was written for supabase-swift serves as it is. An error must never look like nothing
/// stored: return nil only where there is nothing, and throw where it cannot be told, such as before a device was
/// unlocked.
///
/// - Threading: called from any thread, on behalf of one key by one caller at a time as far as one client is concerned.
///   It may read and write files, but must not wait for anybody.
public protocol AuthLocalStorage: Sendable {
  /// Replaces what is stored under the key.
  func store(key: String, value: Data) throws
  /// What is stored under the key; nil if nothing is.
  func retrieve(key: String) throws -> Data?
  /// Removes what is stored under the key, if anything is.
  func remove(key: String) throws
}
