import Foundation
import SwiftwaterCurl
import SwiftwaterHTTP
import Testing

/// Python's HTTP server, with a certificate of its own when it is to speak TLS.
private final class PythonServer {
  static let isAvailable = run(["python3", "-c", "import http.server, ssl"]) && run(["openssl", "version"])

  private static let script = """
    import http.server, ssl, sys
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *arguments): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """

  let folder: URL
  var certificate: String { folder.appendingPathComponent("certificate.pem").path }
  private(set) var port = 0
  private let process = Process()

  init(speaksTLS: Bool) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("curl-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var arguments = ["python3", "-c", Self.script]
    if speaksTLS {
      let key = folder.appendingPathComponent("key.pem").path
      let isMade = Self.run([
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate,
      ])
      try #require(isMade)
      arguments += [certificate, key]
    }
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  deinit {
    if process.isRunning {
      // Not terminate(): Foundation's children may inherit a blocked SIGTERM.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  private static func run(_ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

@Suite("Python's HTTP server", .enabled(if: PythonServer.isAvailable, "needs python3 and openssl"))
struct WitnessTests {
  private func request(_ server: PythonServer, scheme: String) -> HTTPRequest {
    HTTPRequest(method: .post, scheme: scheme, authority: "localhost:\(server.port)", path: "/echo")
  }

  @Test("Uploads come back")
  func echo() async throws {
    let server = try PythonServer(speaksTLS: false)
    let transport = makeTransport()
    for count in [1, 100_000, Pattern.block.count] {
      let bytes = Array(Pattern.block.prefix(count))
      let (response, body) = try await transport.send(request(server, scheme: "http"), body: HTTPBody(bytes))
      #expect(response.status == .ok)
      let echo = try await body.collect(upTo: bytes.count)
      #expect(echo == bytes)
    }
  }

  @Test("A certificate is trusted when the configuration names it, and not otherwise")
  func certificate() async throws {
    let server = try PythonServer(speaksTLS: true)
    let request = request(server, scheme: "https")
    #expect(await kind { _ = try await makeTransport().send(request, body: HTTPBody("x")) } == .tls)
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorityFile = server.certificate
    let transport = makeTransport(configuration)
    let (_, body) = try await transport.send(request, body: HTTPBody("hello"))
    #expect(try await body.text() == "hello")
    configuration.certificateAuthorityFile = server.folder.appendingPathComponent("missing.pem").path
    let broken = makeTransport(configuration)
    #expect(await kind { _ = try await broken.send(request, body: HTTPBody("x")) } == .tls)
  }
}
