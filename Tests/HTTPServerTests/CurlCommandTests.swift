import SwiftwaterHTTP
import SwiftwaterHTTPServer
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

private let hasCurl = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"].contains { (path: String) in
  access(path, X_OK) == 0
}

/// A client that others have written.
@Suite(.enabled(if: hasCurl, "the curl command is not here"))
struct CurlCommandTests {
  private let count: HTTPServer.Handler = { request in
    var count = 0
    for try await chunk in request.body { count += chunk.count }
    return text("\(request.head.method) \(count)")
  }

  @Test("curl uploads chunks")
  func chunkedUpload() async throws {
    try await withServer(handler: count) { server in
      let (output, code) = await shell(
        "head -c 5000000 /dev/zero | curl -sS -m 60 -T - -H 'Expect:' http://127.0.0.1:\(server.port)/a")
      #expect(code == 0)
      #expect(output == "PUT 5000000")
    }
  }

  @Test("curl waits for 100 Continue, gets it, and sends its body")
  func expectContinue() async throws {
    try await withServer(handler: count) { server in
      let (output, code) = await shell(
        "head -c 2000000 /dev/zero | curl -sS -v -m 60 --expect100-timeout 50 -H 'Expect: 100-continue' "
          + "--data-binary @- http://127.0.0.1:\(server.port)/ 2>&1")
      #expect(code == 0)
      #expect(output.contains("HTTP/1.1 100 Continue"))
      #expect(output.hasSuffix("POST 2000000"))
    }
  }

  @Test("curl sees the head of a HEAD, and a connection that serves several requests")
  func headAndReuse() async throws {
    try await withServer(handler: { _ in text("12345") }) { server in
      let address = "http://127.0.0.1:\(server.port)/"
      let (head, code) = await shell("curl -sS -m 60 -I \(address)")
      #expect(code == 0)
      #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(head.contains("Content-Length: 5\r\n"))
      let (connects, _) = await shell(
        "curl -sS -m 60 -o /dev/null -o /dev/null -o /dev/null -w '%{num_connects} ' \(address)[1-3]")
      #expect(connects == "1 0 0 ")
    }
  }

  @Test("curl takes a chunked download, and notices one that breaks off")
  func download() async throws {
    struct Broken: Error {}
    let handler: HTTPServer.Handler = { request in
      let left = Counter()
      return ServerResponse(
        status: .ok,
        body: HTTPBody {
          if left.add() <= 50 { return [UInt8](repeating: 0x61, count: 100_000) }
          if request.head.path == "/broken" { throw Broken() }
          return nil
        })
    }
    try await withServer(handler: handler) { server in
      let address = "http://127.0.0.1:\(server.port)"
      #expect(await shell("curl -sS -m 60 \(address)/whole | wc -c").output.contains("5000000"))
      #expect(await shell("curl -s -m 60 -o /dev/null \(address)/broken").code != 0)
      #expect(await shell("curl -s -m 60 --http1.0 -o /dev/null \(address)/broken").code != 0)
    }
  }
}
