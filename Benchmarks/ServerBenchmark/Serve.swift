import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterSockets

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The program that is measured: prints its port and process, and runs until its standard input ends.
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
  print(server.port, getpid())
  flushOutput()
  await endOfInput()
  await server.stop()
}

private func flushOutput() { fflush(nil) }

@concurrent
private func endOfInput() async {
  var byte: UInt8 = 0
  while read(0, &byte, 1) > 0 {}
}
