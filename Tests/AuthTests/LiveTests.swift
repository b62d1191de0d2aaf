import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Over a real connection")
struct LiveTests {
  @Test("Signing in, renewing and signing out, through the client's own transport")
  func session() async throws {
    let seen = LockIsolated<[String]>([])
    var settings = HTTPServer.Configuration()
    settings.port = 0
    let server = HTTPServer(
      configuration: settings,
      handler: { request in
        seen.withLock {
          $0.append("\(request.head.method) \(request.head.path) \(request.head.headerFields[.authorization] ?? "-")")
        }
        if request.head.path.contains("logout") { return ServerResponse(status: .noContent) }
        let number = request.head.path.contains("refresh") ? 2 : 1
        return ServerResponse(
          status: .ok, headerFields: [.contentType: "application/json"], body: HTTPBody(Sample.session(number)))
      })
    try await server.start()
    let port = server.port
    let client = AuthClient(
      configuration: .init(
        url: try #require(URL(string: "http://127.0.0.1:\(port)/auth/v1")), headers: [.apikey: "key"],
        localStorage: InMemoryLocalStorage(), autoRefreshToken: false, logger: .disabled))
    do {
      try await client.signIn(email: "a@example.com", password: "p")
      #expect(try await client.refreshSession().accessToken == "access-2")
      try await client.signOut()
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
    #expect(
      seen.value == [
        "POST /auth/v1/token?grant_type=password -", "POST /auth/v1/token?grant_type=refresh_token -",
        "POST /auth/v1/logout?scope=global Bearer access-2",
      ])
    // Nobody is there any more.
    let error = await failure { try await client.signIn(email: "a@example.com", password: "p") }
    #expect(error?.kind == .transport && (error?.underlyingError as? HTTPError)?.kind == .connectionFailed)
  }
}
