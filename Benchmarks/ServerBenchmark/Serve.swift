import BenchmarkSupport
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterSockets

/// The program that is measured: tells its port, and runs until its standard input ends.
func serve() async throws {
  var configuration = HTTPServer.Configuration()
  configuration.loops = 1
  let json = body
  var router = Router()
  router.get("/json") { _ in
    ServerResponse(status: .ok, headerFields: [.contentType: "application/json"], body: HTTPBody(json))
  }
  // Compressed for clients that ask for it.
  var compressing = WebSocketConfiguration()
  compressing.compression = .init()
  router.get("/ws") { [compressing] _ in
    .webSocket(configuration: compressing) { connection in
      for try await message in connection.messages { try await connection.send(message) }
    }
  }
  let server = HTTPServer(configuration: configuration, handler: router.handler)
  try await server.start()
  Machine.tell("port", server.port)
  await Machine.waitForEndOfInput()
  await server.stop()
}
