import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterSockets
import TestSupport
import Testing

@Suite("Autobahn, the WebSocket tests of the field", .enabled(if: Autobahn.isInstalled, Autobahn.missing))
struct AutobahnTests {
  private static var configuration: WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.compression = WebSocketConfiguration.Compression(threshold: 0)
    return configuration
  }

  @Test("The server passes every case")
  func server() async throws {
    let (count, failures) = try await Autobahn.failures(Self.runServer)
    #expect(count >= 200)
    #expect(failures == [:])
  }

  @Test("The client passes every case")
  func client() async throws {
    let (count, failures) = try await Autobahn.failures(Self.runClient)
    #expect(count >= 200)
    #expect(failures == [:])
  }

  private static func runServer(
    _ autobahn: Autobahn, _ cases: [String]
  ) async throws -> (count: Int, failures: [String: String]) {
    let server = HTTPServer { _ in
      .webSocket(configuration: configuration) { connection in
        for try await message in connection.messages { try await connection.send(message) }
      }
    }
    try await server.start()
    let peer = try autobahn.start(
      mode: "fuzzingclient", cases: cases,
      specification: [
        "servers": [["agent": "server", "url": "ws://127.0.0.1:\(server.port)"]], "options": ["failByDrop": false],
      ])
    #expect(await eventually(within: .seconds(3600)) { !peer.isRunning }, "\(peer.output.suffix(2000))")
    await server.stop()
    return try autobahn.results()
  }

  private static func runClient(
    _ autobahn: Autobahn, _ cases: [String]
  ) async throws -> (count: Int, failures: [String: String]) {
    let port = Int.random(in: 20_000..<30_000)  // below those that the system hands out
    let peer = try autobahn.start(
      mode: "fuzzingserver", cases: cases,
      specification: ["url": "ws://127.0.0.1:\(port)", "options": ["failByDrop": false]])
    defer { peer.send(9) }
    let transport = CurlTransport()
    func connect(_ path: String) async throws -> any WebSocketConnection {
      try await transport.connect(
        HTTPRequest(method: .get, scheme: "ws", authority: "127.0.0.1:\(port)", path: path),
        configuration: configuration)
    }
    func caseCount() async -> Int? {
      guard case .text(let answer)? = try? await connect("/getCaseCount").receive() else { return nil }
      return Int(answer)
    }
    // It takes a while to listen.
    let isReady = await eventually(within: .seconds(120)) { await caseCount() != nil }
    let count = try #require(await caseCount(), "\(isReady): \(peer.output.suffix(2000))")
    for number in 1...count {
      let connection = try await connect("/runCase?case=\(number)&agent=client")
      // Many cases break the connection, which is the point of them.
      do {
        for try await message in connection.messages { try await connection.send(message) }
      } catch is WebSocketError {}
      await connection.close()
    }
    try await connect("/updateReports?agent=client").close()
    try #require(await eventually { (try? autobahn.results().count) == count })
    return try autobahn.results()
  }
}
