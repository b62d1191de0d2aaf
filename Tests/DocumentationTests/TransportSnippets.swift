import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets
import Testing

@Suite("Snippets of the transport's page")
struct TransportSnippets {
  /// Compiled only: it speaks to the world.
  func page() async throws {
    let client = HTTPClient(configuration: HTTPClientConfiguration(transport: CurlTransport.shared))
    let request = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")
    let (response, body) = try await client.send(request)
    print(response.status, try await body.collect(upTo: 1_000_000).count)
  }

  /// Compiled only.
  func patience() {
    let retry = RetryPolicy(
      methods: [.get, .head], statuses: [503], attempts: 3, backoff: Backoff(base: .seconds(1), cap: .seconds(10)))
    let patient = HTTPClient(
      configuration: HTTPClientConfiguration(transport: CurlTransport.shared, timeout: .seconds(20)),
      headerFields: [.userAgent: "first/1.0"], retry: retry)
    _ = patient
  }

  /// Compiled only.
  func webSocket() async throws {
    let chat = HTTPRequest(method: .get, scheme: "wss", authority: "example.com", path: "/chat")
    let socket = try await CurlTransport.shared.connect(chat, protocols: ["chat.v1"])
    try await socket.send("hello")
    for try await message in socket.messages { print(message) }
  }

  /// Compiled only.
  func certificates() {
    var configuration = CurlTransport.Configuration()
    configuration.certificateAuthorityFile = "/etc/example/ca.pem"
    configuration.clientCertificate = CurlTransport.ClientCertificate(
      certificateFile: "/etc/example/client.pem", keyFile: "/etc/example/client.key")
    let transport = CurlTransport(configuration: configuration)
    transport.shutdown()
  }
}
