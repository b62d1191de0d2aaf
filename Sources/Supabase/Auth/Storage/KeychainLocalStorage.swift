#if canImport(Security)
  public import FoundationEssentials
  internal import SwiftwaterSessions

  /// A storage in the Keychain, under the same service as supabase-swift's, so that its users stay signed in.
  ///
  /// A Keychain that cannot be read, such as before the first unlock after a restart, throws and never looks empty.
  public struct KeychainLocalStorage: SessionStoring {
    private let service: String
    private let accessGroup: String?
    private let lockFolder: String?

    /// A storage under that service.
    ///
    /// - Parameters:
    ///   - service: What the entries belong to.
    ///   - accessGroup: The access group, for entries that an app shares with its extensions.
    ///   - lockFolder: A folder that exists, such as that of their app group, where those who share entries keep their
    ///     locks, so that no two of them spend the same refresh token.
    public init(service: String = "supabase.gotrue.swift", accessGroup: String? = nil, lockFolder: String? = nil) {
      self.service = service
      self.accessGroup = accessGroup
      self.lockFolder = lockFolder
    }

    /// Replaces what is stored under the key.
    ///
    /// - Throws: `AuthError` of the kind `.storage`.
    public func store(key: String, value: Data) throws {
      do { try entry(key).replaceImmediately(Array(value)) } catch { throw AuthError.session(error) }
    }

    /// What is stored under the key; nil if nothing is.
    ///
    /// - Throws: `AuthError` of the kind `.storage`.
    public func retrieve(key: String) throws -> Data? {
      do { return try entry(key).loadImmediately().map { Data($0) } } catch { throw AuthError.session(error) }
    }

    /// Removes what is stored under the key.
    ///
    /// - Throws: `AuthError` of the kind `.storage`.
    public func remove(key: String) throws {
      do { try entry(key).replaceImmediately(nil) } catch { throw AuthError.session(error) }
    }

    func sessionStore(key: String) -> any CredentialStore { entry(key) }

    private func entry(_ key: String) -> KeychainCredentialStore {
      KeychainCredentialStore(service: service, account: key, accessGroup: accessGroup, lockFolder: lockFolder)
    }
  }
#endif
