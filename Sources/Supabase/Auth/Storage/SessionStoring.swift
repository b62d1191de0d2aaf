internal import SwiftwaterSessions

/// A storage that has a store for sessions with locks among processes.
protocol SessionStoring: AuthLocalStorage {
  /// The store of the session under that key.
  func sessionStore(key: String) -> any CredentialStore
}
