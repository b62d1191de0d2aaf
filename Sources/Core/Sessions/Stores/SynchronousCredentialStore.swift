/// A store that can also be read at once.
///
/// With such a store ``CredentialManager/current`` knows the credential from the start, without waiting.
public protocol SynchronousCredentialStore: CredentialStore {
  /// What is stored; nil if nothing is. It may read a file, but must not wait for anybody.
  func loadImmediately() throws -> [UInt8]?
}
