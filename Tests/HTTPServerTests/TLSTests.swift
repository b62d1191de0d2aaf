import SwiftwaterCurl
import SwiftwaterHTTP
import TestSupport
import Testing

@testable import SwiftwaterHTTPServer

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// TLS, with certificates that Python's trustme makes.
@Suite(.enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct TLSTests {
  private func withTLSServer(
    _ configure: (inout HTTPServer.Configuration, Certificates) -> Void = { _, _ in },
    handler: @escaping HTTPServer.Handler = echo, _ body: (HTTPServer, Certificates) async throws -> Void
  ) async throws {
    let certificates = try await Certificates()
    try await withServer(
      {
        $0.tls = certificates.configuration
        configure(&$0, certificates)
      }, handler: handler
    ) { server in try await body(server, certificates) }
  }

  /// Connects as `tls`, with the arguments port and folder.
  private static let connect = """
    import socket, ssl, sys
    port, folder = int(sys.argv[1]), sys.argv[2] + "/"
    context = ssl.create_default_context(cafile=folder + "ca.pem")
    def connect():
        return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 30), server_hostname="localhost")

    """

  @Test("Python's ssl verifies the chain, agrees on HTTP/1.1, keeps the connection and sees it end in order")
  func pythonClient() async throws {
    let handler: HTTPServer.Handler = { request in
      text("\(request.head.scheme ?? "") \(request.clientCertificate?.count ?? 0)")
    }
    try await withTLSServer(handler: handler) { server, certificates in
      let (output, code) = try await python(
        Self.connect + """
          context.set_alpn_protocols(["h2", "http/1.1"])
          tls = connect()
          print(tls.selected_alpn_protocol(), tls.version() in ("TLSv1.2", "TLSv1.3"))
          answers = tls.makefile("rb")
          for close in ("", "", "Connection: close\\r\\n"):
              tls.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n" + close.encode() + b"\\r\\n")
              while answers.readline() != b"\\r\\n": pass
              print(answers.read(7))
          print(tls.recv(1), tls.unwrap() is not None)
          """, "\(server.port)", certificates.folder)
      #expect(code == 0)
      #expect(output == "http/1.1 True\nb'https 0'\nb'https 0'\nb'https 0'\nb'' True\n")
    }
  }

  @Test("older versions, protocols that are not offered and names that are not certified are refused")
  func refusals() async throws {
    try await withTLSServer { server, certificates in
      let (output, code) = try await python(
        Self.connect + """
          import warnings
          warnings.simplefilter("ignore")
          def fails():
              try: connect().recv(1)
              except ssl.SSLError as error: print(error.reason)
          context.set_ciphers("ALL:@SECLEVEL=0")
          context.minimum_version = ssl.TLSVersion.TLSv1
          context.maximum_version = ssl.TLSVersion.TLSv1_1
          fails()
          context = ssl.create_default_context()
          fails()
          """, "\(server.port)", certificates.folder)
      #expect(code == 0)
      #expect(output == "TLSV1_ALERT_PROTOCOL_VERSION\nCERTIFICATE_VERIFY_FAILED\n")
      let (handshake, _) = await shell("openssl s_client -alpn h2 -connect 127.0.0.1:\(server.port) 2>&1 </dev/null")
      #expect(handshake.contains("no application protocol"))
    }
  }

  @Test("renegotiation is refused")
  func renegotiation() async throws {
    try await withTLSServer { server, certificates in
      let (output, _) = await shell(
        """
        cd \(certificates.folder) && touch output
        await() { for _ in $(seq 3000); do grep -q "$1" output && return; sleep 0.01; done; }
        { await "Verify return code"; echo R; await "renegotiation"; } |
          openssl s_client -tls1_2 -connect 127.0.0.1:\(server.port) -CAfile ca.pem >output 2>&1
        cat output
        """)
      #expect(output.contains("Verify return code: 0 (ok)"))
      #expect(output.contains("no renegotiation"))
    }
  }

  @Test("a client must show a certificate of the authority where one is required", arguments: [true, false])
  func clientCertificates(_ isRequired: Bool) async throws {
    let handler: HTTPServer.Handler = { text("\(($0.clientCertificate?.count ?? 0) > 100)") }
    try await withTLSServer(
      {
        $0.tls?.clientAuthorities = .file($1.path("ca.pem"))
        $0.tls?.clientVerification = isRequired ? .required : .optional
      }, handler: handler
    ) { server, certificates in
      let (output, code) = try await python(
        Self.connect + """
          for name in (None, "client.pem", "other.pem"):
              context = ssl.create_default_context(cafile=folder + "ca.pem")
              if name: context.load_cert_chain(folder + name)
              try:
                  tls = connect()
                  tls.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                  print(tls.makefile("rb").read().split(b"\\r\\n\\r\\n")[1].decode())
              except ssl.SSLError as error: print(error.reason)
          # A resumed session is verified as well.
          context = ssl.create_default_context(cafile=folder + "ca.pem")
          context.load_cert_chain(folder + "client.pem")
          session = None
          for _ in range(2):
              with context.wrap_socket(socket.create_connection(("127.0.0.1", port), 30),
                  server_hostname="localhost", session=session) as tls:
                  tls.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
                  print(tls.makefile("rb").read().split(b"\\r\\n\\r\\n")[1].decode())
                  session = tls.session
          """, "\(server.port)", certificates.folder)
      #expect(code == 0)
      let nobody = isRequired ? "TLSV13_ALERT_CERTIFICATE_REQUIRED" : "false"
      #expect(output == "\(nobody)\ntrue\nTLSV1_ALERT_UNKNOWN_CA\ntrue\ntrue\n")
    }
  }

  @Test("the curl command uploads to a slow reader and downloads, and everything arrives")
  func curlCommand() async throws {
    let isFull = Signal()
    let handler: HTTPServer.Handler = { request in
      if request.head.path == "/down" {
        let left = Counter()
        return ServerResponse(
          status: .ok, body: HTTPBody { left.add() <= 200 ? [UInt8](repeating: 0x61, count: 100_000) : nil })
      }
      var count = 0
      for try await chunk in request.body {
        if count == 0 { try await isFull.wait() }
        count += chunk.count
      }
      return text("\(count)")
    }
    try await withTLSServer(handler: handler) { server, certificates in
      let curl = "curl -sS -m 60 --cacert \(certificates.path("ca.pem")) https://localhost:\(server.port)"
      async let upload = shell("head -c 20000000 /dev/zero | \(curl)/up -T - -H 'Expect:' ")
      try await eventually("reading pauses") { server.backPressure.pausedReads == 1 }
      isFull.fire()
      let (up, code) = await upload
      #expect(code == 0)
      #expect(up == "20000000")
      #expect(await shell("\(curl)/down | wc -c").output.contains("20000000"))
      let (continued, _) = await shell(
        "head -c 5000000 /dev/zero | \(curl)/up -v --data-binary @- -H 'Expect: 100-continue' 2>&1")
      #expect(continued.contains("100 Continue"))
      #expect(continued.hasSuffix("5000000"))
    }
  }

  @Test("our own transport sends and receives large bodies, many at once")
  func ownTransport() async throws {
    try await withTLSServer(handler: { ServerResponse(status: .ok, body: $0.body) }) { server, certificates in
      var configuration = CurlTransport.Configuration()
      configuration.certificateAuthorityFile = certificates.path("ca.pem")
      let transport = CurlTransport(configuration: configuration)
      defer { transport.shutdown() }
      let size = 3_000_000
      try await withThrowingTaskGroup { group in
        for number in 0..<8 {
          group.addTask {
            let sent = [UInt8](repeating: UInt8(number), count: size)
            let request = HTTPRequest(method: .post, scheme: "https", authority: "localhost:\(server.port)", path: "/")
            let (response, body) = try await transport.send(request, body: HTTPBody(sent))
            #expect(response.status == .ok)
            #expect(try await body.collect(upTo: size) == sent)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("a slow reader of a large response gets everything, by whole writes or partial ones")
  func slowReader() async throws {
    let part = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let count = 122
    var body: [UInt8] = []
    for _ in 0..<count { body += part }
    let isStuck = Signal()
    let handler: HTTPServer.Handler = { [body] request in
      if request.head.path == "/stuck" {
        try await isStuck.wait()
        return text("")
      }
      return ServerResponse(status: .ok, body: HTTPBody(body))
    }
    try await withTLSServer(handler: handler) { server, certificates in
      let (port, folder) = ("\(server.port)", certificates.folder)
      async let client = python(
        Self.connect + """
          raw = socket.socket()
          raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
          raw.connect(("127.0.0.1", port))
          tls = context.wrap_socket(raw, server_hostname="localhost")
          tls.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
          other = connect()
          other.sendall(b"GET /stuck HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
          other.recv(1)
          answer = tls.makefile("rb").read()
          body = answer[answer.index(b"\\r\\n\\r\\n") + 4:]
          print(body == bytes(i // 251 % 256 for i in range(65536)) * \(count))
          """, port, folder)
      try await eventually("the socket takes no more") { server.backPressure.unsentBytes > 0 }
      isStuck.fire()
      let (output, code) = try await client
      #expect(code == 0)
      #expect(output == "True\n")
    }
  }

  @Test(
    "who does not shake hands is cut off: nothing, a part, or something else than TLS",
    arguments: ["", "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"])
  func noHandshake(_ bytes: String) async throws {
    try await withTLSServer { configuration, _ in
      configuration.headTimeout = .milliseconds(100)
    } _: { server, _ in
      let client = try await RawClient(port: server.port)
      try await client.send(bytes)
      let (received, _) = try await client.receiveAll()
      // At most an alert.
      #expect(received.isEmpty || received.first == 0x15)
      #expect(received.count <= 7)
    }
  }

  @Test("stopping ends an idle connection in order")
  func stopping() async throws {
    let certificates = try await Certificates()
    var configuration = HTTPServer.Configuration()
    configuration.tls = certificates.configuration
    let server = HTTPServer(configuration: configuration, handler: echo)
    try await server.start()
    let client = try ChildProgram(
      try #require(Witness.python),
      [
        "-u", "-c",
        Self.connect + """
          tls = connect()
          tls.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
          print(len(tls.recv(1000)) > 100)
          print(tls.recv(1), tls.unwrap() is not None)
          """, "\(server.port)", certificates.folder,
      ])
    #expect(await client.writes("True"))
    await server.stop()
    #expect(await client.status() == 0)
    #expect(client.output == "True\nb'' True\n")
  }

  @Test("what is wrong with a certificate or key is said when the server starts")
  func configurationErrors() async throws {
    let certificates = try await Certificates()
    func error(_ change: (inout TLSConfiguration) -> Void) async -> String? {
      var configuration = HTTPServer.Configuration()
      var tls = certificates.configuration
      change(&tls)
      configuration.tls = tls
      let server = HTTPServer(configuration: configuration, handler: echo)
      let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
      #expect(error?.code == .invalidTLS)
      #expect(error?.message.contains("\n") == false)
      return error?.message
    }
    let missing = certificates.path("missing.pem")
    #expect(
      await error { $0.certificateChain = .file(missing) }
        == "cannot read the certificate chain \(missing): No such file or directory")
    #expect(await error { $0.privateKey = .file(certificates.folder) }?.contains("Is a directory") == true)
    #expect(
      await error { $0.certificateChain = .bytes(Array("hello".utf8)) }?.hasPrefix(
        "The certificate chain holds no certificate in PEM form") == true)
    let key = certificates.path("key.pem")
    #expect(
      await error { $0.certificateChain = .file(key) }?.hasPrefix(
        "The certificate chain in \(key) holds no certificate") == true)
    for name in ["ca.pem", "encrypted.pem"] {
      let path = certificates.path(name)
      #expect(
        await error { $0.privateKey = .file(path) }?.hasPrefix(
          "The private key in \(path) is no unencrypted key in PEM form") == true)
    }
    #expect(
      await error { $0.privateKey = .file(certificates.path("other-key.pem")) }?.contains(
        "does not belong to the first certificate of the chain") == true)
    #expect(await error { $0.clientVerification = .required }?.contains("clientAuthorities") == true)
    #expect(
      await error {
        $0.clientVerification = .optional
        $0.clientAuthorities = .file(missing)
      }?.contains(missing) == true)
  }

  @Test("sessions and the certificates they share are released")
  func release() async throws {
    let certificates = try await Certificates()
    var context: TLSContext? = try TLSContext(certificates.configuration)
    weak let weakContext = context
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    var session = context?.session(over: ends[0])
    weak let weakSession = session
    context = nil
    #expect(weakContext != nil)
    #expect(session?.isEstablished == false && session?.clientCertificate == nil)
    session = nil
    #expect(weakSession == nil && weakContext == nil)
  }

  @Test("certificates and keys may come as bytes")
  func bytes() async throws {
    let certificates = try await Certificates()
    func bytes(_ name: String) async -> TLSConfiguration.PEM {
      .bytes(Array(await shell("cat \(certificates.path(name))").output.utf8))
    }
    let tls = TLSConfiguration(certificateChain: await bytes("chain.pem"), privateKey: await bytes("key.pem"))
    try await withServer {
      $0.tls = tls
    } handler: {
      try await echo($0)
    } _: { server in
      let (output, _) = await shell(
        "curl -sS -m 60 --cacert \(certificates.path("ca.pem")) https://127.0.0.1:\(server.port)/a")
      #expect(output == "GET /a ")
    }
  }
}
