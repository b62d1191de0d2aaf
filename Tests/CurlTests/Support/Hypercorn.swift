import SwiftwaterCurl
import SwiftwaterHTTP
import TestSupport

/// Hypercorn, which speaks HTTP/1.1 and HTTP/2, with a small program for tests behind it.
struct Hypercorn {
  let server: PythonServer

  /// - Parameters:
  ///   - isSecure: whether it speaks TLS.
  ///   - asksForCertificate: whether it wants one of the client.
  init(isSecure: Bool = true, asksForCertificate: Bool = false, name: String = "localhost") async throws {
    server = try await PythonServer(
      Self.script, [isSecure ? "tls" : "plain", asksForCertificate ? "mutual" : "", name])
    self.isSecure = isSecure
  }

  private let isSecure: Bool

  func request(_ path: String, _ method: HTTPRequest.Method = .get, timeout: Duration? = nil) -> HTTPRequest {
    HTTPRequest(
      method: method, scheme: isSecure ? "https" : "http", authority: server.authority, path: path, timeout: timeout)
  }

  /// A configuration that trusts it.
  var configuration: CurlTransport.Configuration {
    var configuration = CurlTransport.Configuration()
    if isSecure { configuration.certificateAuthorityFile = server.authorityFile }
    return configuration
  }

  /// What it says of a request: the version, and the client's port, which tells connections apart.
  func about(_ transport: CurlTransport, _ path: String = "/about") async throws -> (version: String, port: String) {
    let words = try await transport.send(request(path)).1.text().split(separator: " ")
    return words.count == 2 ? (String(words[0]), String(words[1])) : ("", "")
  }

  /// A number that it counts.
  func count(_ name: String, _ transport: CurlTransport) async throws -> Int {
    Int(try await transport.send(request("/count/\(name)")).1.text()) ?? -1
  }

  private static let script = """
    import asyncio, hypercorn.asyncio, hypercorn.config
    counts = {"sent": 0, "waiting": 0, "received": 0}
    meetings = {}
    async def answer(send, body, more=False, status=200):
        await send({"type": "http.response.start", "status": status, "headers": [(b"x-by", b"hypercorn")]})
        await send({"type": "http.response.body", "body": body.encode(), "more_body": more})
    async def app(scope, receive, send):
        if scope["type"] != "http":
            return
        path = scope["path"].split("/")
        about = scope["http_version"] + " " + str(scope["client"][1])
        if path[1] == "about":
            await answer(send, about)
        elif path[1] == "count":
            await answer(send, str(counts[path[2]]))
        elif path[1] == "meet":
            # Answers when so many requests are here at the same time.
            meeting = meetings.setdefault(path[2], [0, asyncio.Event()])
            meeting[0] += 1
            if meeting[0] == int(path[2]):
                meeting[1].set()
            await meeting[1].wait()
            await answer(send, about)
        elif path[1] == "bytes":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            block = bytes(range(256)) * 256
            for _ in range(int(path[2])):
                await send({"type": "http.response.body", "body": block, "more_body": True})
                counts["sent"] += len(block)
            await send({"type": "http.response.body", "body": b""})
        elif path[1] == "echo":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            more = True
            while more:
                event = await receive()
                if event["type"] == "http.disconnect":
                    return
                body, more = event.get("body", b""), event.get("more_body", False)
                counts["received"] += len(body)
                await send({"type": "http.response.body", "body": body, "more_body": more})
        elif path[1] == "wait":
            # No answer, or no end of one.
            counts["waiting"] += 1
            try:
                if path[2:] == ["body"]:
                    await answer(send, "beginning", more=True)
                while (await receive())["type"] != "http.disconnect":
                    pass
            finally:
                counts["waiting"] -= 1
        else:
            await answer(send, "none", status=404)
    config = hypercorn.config.Config()
    config.loglevel = "CRITICAL"
    # Its 5 s pass between two requests of one test when the machine is busy.
    config.keep_alive_timeout = 600
    if arguments[0] == "tls":
        certificates(arguments[2])
        config.certfile, config.keyfile = folder + "/server.pem", folder + "/server.key"
    if arguments[1] == "mutual":
        config.ca_certs, config.verify_mode = folder + "/ca.pem", ssl.CERT_REQUIRED
    server = listen()
    config.bind = ["fd://" + str(server.fileno())]
    asyncio.run(hypercorn.asyncio.serve(app, config))
    """
}
