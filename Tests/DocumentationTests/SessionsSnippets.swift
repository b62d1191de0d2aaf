// The snippets of the sessions' guide and page, with just enough around them to compile. What they do is proven in
// SessionsTests.
import FoundationEssentials
import SwiftwaterSessions

private struct Session: Codable, Sendable {
  var accessToken: String
  var refreshToken: String
  var expiresAt: Date
  var expiresIn: Int
  var user = User()
}

private struct User: Codable, Sendable {
  var name = ""
}

private struct ServerError: Error {
  var isRefusal: Bool
  var retryAfter: Duration?
}

private struct Server: Sendable {
  func renew(_ refreshToken: String) async throws -> Session { throw ServerError(isRefusal: true) }
  func signIn(_ name: String, _ password: String) async throws -> Session { throw ServerError(isRefusal: true) }
  func revoke(_ session: Session) async throws {}
}

private struct Snippets {
  let server = Server()
  let name = "anna"
  let password = "secret"

  func scheme() -> CredentialScheme<Session> {
    let scheme = CredentialScheme<Session>(
      validity: { CredentialValidity(expiresAt: $0.expiresAt, lifetime: .seconds($0.expiresIn)) },
      refresh: { [server] session in try await server.renew(session.refreshToken) },
      classify: { error in
        guard let error = error as? ServerError else { return .transient() }
        return error.isRefusal ? .refused : .transient(retryAfter: error.retryAfter)
      })
    return scheme
  }

  func manager(folder: String, scheme: CredentialScheme<Session>) -> CredentialManager<Session> {
    let manager = CredentialManager(scheme, store: FileCredentialStore(folder: folder, key: "session"))
    manager.startAutoRefresh()
    return manager
  }

  func uses(_ manager: CredentialManager<Session>) async throws {
    try await manager.set(try await server.signIn(name, password))
    let session = try await manager.credential()
    try await manager.update { $0.user.name = "Anna Maria" }
    if let session = try await manager.clear() { try await server.revoke(session) }
    _ = session
  }

  func rejected(_ manager: CredentialManager<Session>, _ rejected: String) async throws {
    let session = try await manager.credential(replacingIf: { $0.accessToken == rejected })
    _ = session
  }

  func follows(_ manager: CredentialManager<Session>) async {
    for await state in manager.state {
      switch state {
      case .unread: break
      case .present(let session, trouble: nil): print("signed in:", session.user.name)
      case .present(let session, let trouble?): print("signed in:", session.user.name, "but", trouble)
      case .absent(let end): print("signed out:", end.reason.rawValue)
      }
    }
  }
}

private protocol Vault: Sendable {
  func read(_ name: String) async throws -> [UInt8]?
  func write(_ name: String, _ bytes: [UInt8]?) async throws
}

private struct VaultStore: CredentialStore {
  let vault: any Vault

  func load() async throws -> [UInt8]? { try await vault.read("session") }
  func save(_ bytes: [UInt8]) async throws { try await vault.write("session", bytes) }
  func remove() async throws { try await vault.write("session", nil) }
}
