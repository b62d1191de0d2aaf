#if canImport(Security)
  internal import Foundation
  internal import Security

  /// A store in the Keychain: a generic password that can be read from the first unlock after a restart on, and stays
  /// on this device.
  ///
  /// A Keychain that cannot be read, for instance before the first unlock, is an error and never looks like nothing
  /// stored.
  ///
  /// - Threading: any number of values may name the same entry.
  public struct KeychainCredentialStore: SynchronousCredentialStore {
    private let service: String
    private let account: String
    private let accessGroup: String?
    private let locks: (turn: String, change: String)?

    /// A store in the entry of that service and account. Nothing is touched before it is used.
    ///
    /// - Parameters:
    ///   - service: What the entry belongs to.
    ///   - account: The name of the entry.
    ///   - accessGroup: The access group, for an entry that an app shares with its extensions.
    ///   - lockFolder: A folder that exists, such as that of their app group, where those who share the entry keep
    ///     their locks, so that no two of them spend the same refresh token. Without it the entry is for one process
    ///     only.
    public init(service: String, account: String, accessGroup: String? = nil, lockFolder: String? = nil) {
      self.service = service
      self.account = account
      self.accessGroup = accessGroup
      locks = lockFolder.map {
        let path = FileCredentialStore(folder: $0, key: "\(service).\(account)").path
        return ("\(path).turn", "\(path).lock")
      }
    }

    /// What is stored; nil if nothing is.
    ///
    /// - Throws: ``CredentialError`` with code `storeUnreadable`.
    public func loadImmediately() throws -> [UInt8]? {
      var result: CFTypeRef?
      let status = SecItemCopyMatching(
        query([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]), &result)
      switch status {
      case errSecSuccess: return (result as? Data).map { Array($0) }
      case errSecItemNotFound: return nil
      default: throw CredentialError.unreadable(Self.failure("read", status))
      }
    }

    /// What is stored; nil if nothing is.
    ///
    /// - Throws: ``CredentialError`` with code `storeUnreadable`.
    @concurrent
    public func load() async throws -> [UInt8]? { try loadImmediately() }

    /// Replaces what is stored.
    ///
    /// - Throws: ``CredentialError`` with code `storeUnwritable` or `storeBusy`.
    public func save(_ bytes: [UInt8]) async throws {
      try await changing { try write(bytes) }
    }

    /// Removes what is stored.
    ///
    /// - Throws: ``CredentialError`` with code `storeUnwritable` or `storeBusy`.
    public func remove() async throws {
      try await changing { try delete() }
    }

    /// Replaces or removes what is stored, for callers that cannot suspend.
    ///
    /// - Throws: ``CredentialError`` with code `storeUnwritable`.
    package func replaceImmediately(_ bytes: [UInt8]?) throws {
      if let bytes { try write(bytes) } else { try delete() }
    }

    /// Replaces what is stored if that is `expected`.
    ///
    /// - Throws: ``CredentialError`` with code `storeUnreadable`, `storeUnwritable` or `storeBusy`.
    public func compareAndSwap(_ expected: [UInt8]?, _ new: [UInt8]?) async throws -> Bool {
      try await changing {
        guard try loadImmediately() == expected else { return false }
        if let new { try write(new) } else { try delete() }
        return true
      }
    }

    /// Runs `body` while nobody else does so with the same lock folder.
    public func withExclusiveAccess<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
      guard let locks else { return try await body() }
      let lock = try await FileLock.acquire(locks.turn, timeout: .seconds(60))
      defer { lock.release() }
      return try await body()
    }

    @concurrent
    private func changing<Result: Sendable>(_ change: @Sendable () throws -> Result) async throws -> Result {
      guard let locks else { return try change() }
      let lock = try await FileLock.acquire(locks.change, timeout: .seconds(60))
      defer { lock.release() }
      return try change()
    }

    private func write(_ bytes: [UInt8]) throws {
      let content: [CFString: Any] = [
        kSecValueData: Data(bytes), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
      ]
      var status = SecItemUpdate(query(), content as CFDictionary)
      if status == errSecItemNotFound { status = SecItemAdd(query(content), nil) }
      guard status == errSecSuccess else { throw CredentialError.unwritable(Self.failure("written", status)) }
    }

    private func delete() throws {
      let status = SecItemDelete(query())
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw CredentialError.unwritable(Self.failure("changed", status))
      }
    }

    private func query(_ further: [CFString: Any] = [:]) -> CFDictionary {
      var query: [CFString: Any] = [
        kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
      ]
      if let accessGroup {
        query[kSecAttrAccessGroup] = accessGroup
        // On macOS only this Keychain has groups; a program that is not signed cannot use it.
        query[kSecUseDataProtectionKeychain] = true
      }
      return query.merging(further) { _, new in new } as CFDictionary
    }

    private static func failure(_ verb: String, _ status: OSStatus) -> KeychainFailure {
      KeychainFailure(words: SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)", verb: verb)
    }
  }

  /// What the Keychain has answered.
  private struct KeychainFailure: Error, CustomStringConvertible {
    let words: String
    let verb: String

    var description: String { "the Keychain's entry cannot be \(verb): \(words)" }
  }
#endif
