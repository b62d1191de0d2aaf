import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets
import TestSupport

/// A WebSocket server by others: Python's `websockets`.
struct EchoServer {
  let server: PythonServer
  private let isSecure: Bool

  /// - Parameter compresses: whether it agrees to compression.
  init(isSecure: Bool = false, compresses: Bool = false) async throws {
    server = try await PythonServer(Self.script, [isSecure ? "tls" : "plain", compresses ? "deflate" : ""])
    self.isSecure = isSecure
  }

  func request(_ path: String = "/", fields: HTTPFields = [:], timeout: Duration? = .seconds(20)) -> HTTPRequest {
    HTTPRequest(
      method: .get, scheme: isSecure ? "wss" : "ws", authority: server.authority, path: path, headerFields: fields,
      timeout: timeout)
  }

  /// A configuration that trusts it.
  var configuration: CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    if isSecure { configuration.certificateAuthorityFile = server.authorityFile }
    return configuration
  }

  /// How many connections it has.
  func openCount() -> Int { last("open ") }

  /// How many messages of `/flood` it has sent, in thousands rounded down.
  func floodCount() -> Int { last("flood ") }

  /// How many pings it has answered.
  func pongCount() -> Int { last("pong ") }

  private func last(_ word: String) -> Int {
    server.output.split(separator: "\n").last { $0.hasPrefix(word) }.flatMap { Int($0.dropFirst(word.count)) } ?? 0
  }

  private static let script = """
    import asyncio, http, websockets
    open_ = 0
    pongs = 0
    class Protocol(websockets.WebSocketServerProtocol):
        async def pong(self, data=b""):
            global pongs
            await super().pong(data)
            pongs += 1
            print("pong", pongs, flush=True)
    async def serve(socket):
        global open_
        open_ += 1
        print("open", open_, flush=True)
        try:
            path = socket.path.split("?")[0]
            if path == "/about":
                await socket.send(str(socket.request_headers.get("X-Test")) + " " + socket.path)
            if path == "/close":
                await socket.close(4001, "enough")
            if path == "/abort":
                socket.transport.abort()
            if path == "/flood":
                for number in range(60_000):
                    await socket.send(number.to_bytes(4, "big") + bytes(1020))
                    if number % 1000 == 0:
                        print("flood", number, flush=True)
                await socket.send("end")
            if path == "/silent":
                await asyncio.Event().wait()
            async for message in socket:
                await socket.send(message)
        except websockets.ConnectionClosed:
            pass
        finally:
            open_ -= 1
            print("open", open_, flush=True)
    async def refuse(path, headers):
        if path == "/refuse":
            return http.HTTPStatus.FORBIDDEN, [("X-Why", "test")], b"not\\n  you\\n"
        if path == "/hang":
            await asyncio.Event().wait()
    async def main():
        context = None
        if arguments[0] == "tls":
            context = certificates()
            # What a server offers that speaks both.
            context.set_alpn_protocols(["h2", "http/1.1"])
        async with websockets.serve(
            serve, create_protocol=Protocol, sock=listen(), ssl=context, process_request=refuse, subprotocols=["two", "three"],
            compression=arguments[1] or None, max_size=2**24):
            await asyncio.Event().wait()
    asyncio.run(main())
    """
}
