import SwiftwaterCurl
import SwiftwaterHTTP
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
}
