import Foundation
import SwiftwaterCurl
import SwiftwaterHTTP
import TestSupport
import Testing

@Suite("TLS with Python's servers", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct TLSTests {
  private func kind(_ hypercorn: Hypercorn, _ configuration: CurlTransport.Configuration) async -> HTTPError.Kind? {
    await CurlTests.kind { _ = try await makeTransport(configuration).send(hypercorn.request("/about")) }
  }

  @Test("A private authority is trusted when the configuration names it or holds it, and not otherwise")
  func authority() async throws {
    let hypercorn = try await Hypercorn()
    #expect(await kind(hypercorn, CurlTransport.Configuration()) == .tls)
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorityFile = hypercorn.server.authorityFile
    #expect(try await hypercorn.about(makeTransport(configuration)).version == "2")
    configuration.certificateAuthorityFile = hypercorn.server.path("missing.pem")
    #expect(await kind(hypercorn, configuration) == .tls)
    configuration.certificateAuthorities = Array(try Data(contentsOf: URL(filePath: hypercorn.server.authorityFile)))
    #expect(try await hypercorn.about(makeTransport(configuration)).version == "2")
  }

  @Test("The authority of another server is not enough")
  func otherAuthority() async throws {
    let hypercorn = try await Hypercorn()
    let other = try await Hypercorn()
    #expect(await kind(hypercorn, other.configuration) == .tls)
  }

  @Test("A certificate for another name is refused")
  func hostName() async throws {
    let hypercorn = try await Hypercorn(name: "example.org")
    #expect(await kind(hypercorn, hypercorn.configuration) == .tls)
  }

  @Test("A server that asks for a certificate gets the configured one", arguments: [false, true])
  func clientCertificate(isLocked: Bool) async throws {
    let hypercorn = try await Hypercorn(asksForCertificate: true)
    var configuration = hypercorn.configuration
    // The alert comes after the client's handshake is over, and is lost where the server closes right behind it.
    let missing = await kind(hypercorn, configuration)
    #expect(missing == .tls || missing == .connectionLost || missing == .connectionFailed)
    configuration.clientCertificate = CurlTransport.ClientCertificate(
      certificateFile: hypercorn.server.path("client.pem"),
      keyFile: hypercorn.server.path(isLocked ? "locked.key" : "client.key"),
      keyPassword: isLocked ? "open sesame" : nil)
    #expect(try await hypercorn.about(makeTransport(configuration)).version == "2")
    guard isLocked else { return }
    configuration.clientCertificate?.keyPassword = "wrong"
    #expect(await kind(hypercorn, configuration) == .tls)
    #expect("\(configuration)".contains("wrong") == false)
  }

  @Test("Servers that speak no more than TLS 1.1 are refused")
  func version() async throws {
    func server(_ version: String) async throws -> PythonServer {
      try await PythonServer(
        """
        context = certificates()
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.\(version)
        server = listen()
        while True:
            client, _ = server.accept()
            try:
                client = context.wrap_socket(client, server_side=True)
                client.recv(65536)
                client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n")
            except OSError:
                pass
            client.close()
        """)
    }
    for (version, isSpoken) in [("TLSv1_1", false), ("TLSv1_2", true), ("TLSv1_3", true)] {
      let server = try await server(version)
      var configuration = CurlTransport.Configuration()
      configuration.certificateAuthorityFile = server.authorityFile
      let transport = makeTransport(configuration)
      let request = HTTPRequest(method: .get, scheme: "https", authority: server.authority)
      if isSpoken {
        #expect(try await transport.send(request).0.status == .ok)
      } else {
        #expect(await CurlTests.kind { _ = try await transport.send(request) } == .tls)
      }
    }
  }

  @Test("From https, a redirect to http is not followed")
  func downgrade() async throws {
    let server = try await PythonServer(
      """
      context = certificates()
      server = listen()
      while True:
          client = context.wrap_socket(server.accept()[0], server_side=True)
          client.recv(65536)
          client.sendall(
              b"HTTP/1.1 302 Found\\r\\nLocation: http://127.0.0.1:1/?secret\\r\\nContent-Length: 0\\r\\n\\r\\n")
          client.close()
      """)
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorityFile = server.authorityFile
    let transport = makeTransport(configuration)
    let request = HTTPRequest(method: .get, scheme: "https", authority: server.authority)
    let error = await #expect(throws: HTTPError.self) { _ = try await transport.send(request) }
    #expect(error?.kind == .redirectFailed)
    #expect(error?.description.contains("secret") == false)
  }
}
