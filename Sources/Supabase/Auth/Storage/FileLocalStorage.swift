public import FoundationEssentials
internal import SwiftwaterSessions

/// A storage in files that only their owner may read (mode 0600), for any number of processes: they take turns at
/// renewing a session, and adopt what came of it.
///
/// - Threading: safe to use from any thread. Writing holds its thread while another process writes.
public struct FileLocalStorage: SessionStoring {
  private let folder: String

  /// A storage in that folder, which is made when something is stored.
  public init(folder: String) { self.folder = folder }

  /// A storage in this program's own folder: `$XDG_STATE_HOME/<program>/supabase`, where `~/.local/state` stands for a
  /// variable that is not set.
  public init() { self.init(folder: Self.defaultFolder(environment: ProcessInfo.processInfo.environment)) }

  /// Replaces what is stored under the key.
  ///
  /// - Throws: `AuthError` of the kind `.storage`; the old value is still there.
  public func store(key: String, value: Data) throws {
    do { try file(key).replaceImmediately(Array(value)) } catch { throw AuthError.session(error) }
  }

  /// What is stored under the key; nil if nothing is.
  ///
  /// - Throws: `AuthError` of the kind `.storage`.
  public func retrieve(key: String) throws -> Data? {
    do { return try file(key).loadImmediately().map { Data($0) } } catch { throw AuthError.session(error) }
  }

  /// Removes what is stored under the key.
  ///
  /// - Throws: `AuthError` of the kind `.storage`.
  public func remove(key: String) throws {
    do { try file(key).replaceImmediately(nil) } catch { throw AuthError.session(error) }
  }

  func sessionStore(key: String) -> any CredentialStore { file(key) }

  private func file(_ key: String) -> FileCredentialStore { FileCredentialStore(folder: folder, key: key) }

  static func defaultFolder(environment: [String: String]) -> String {
    let home = URL.homeDirectory.path(percentEncoded: false)
    // The specification of these folders says to pass over a relative path.
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.local/state"
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "swift"
    return "\(state)/\(program)/supabase".replacing("//", with: "/")
  }
}
