internal import FoundationEssentials
internal import SwiftwaterSessions

/// The session's entry in a storage, also where an older release has left it.
struct SessionStore: SynchronousCredentialStore {
  /// The name that releases of supabase-swift before 2.6 had for the entry.
  static let formerKey = "supabase.session"

  private let storage: any AuthLocalStorage
  private let key: String

  init(_ storage: any AuthLocalStorage, key: String) {
    self.storage = storage
    self.key = key
  }

  /// The storage's own store for sessions, which has locks among processes, or else one of its entries.
  static func store(of storage: any AuthLocalStorage, key: String) -> any CredentialStore {
    (storage as? any SessionStoring)?.sessionStore(key: key) ?? SessionStore(storage, key: key)
  }

  func loadImmediately() throws -> [UInt8]? {
    if let value = try storage.retrieve(key: key) { return Array(value) }
    return try storage.retrieve(key: Self.formerKey).map { Array($0) }
  }

  @concurrent
  func load() async throws -> [UInt8]? { try loadImmediately() }

  @concurrent
  func save(_ bytes: [UInt8]) async throws {
    try storage.store(key: key, value: Data(bytes))
    try removeFormer()
  }

  @concurrent
  func remove() async throws {
    try storage.remove(key: key)
    try removeFormer()
  }

  /// Or a sign-out would be undone by it.
  private func removeFormer() throws {
    guard key != Self.formerKey, try storage.retrieve(key: Self.formerKey) != nil else { return }
    try storage.remove(key: Self.formerKey)
  }
}
