import SwiftwaterHTTP
import SwiftwaterStreams

/// A transport that keeps what was sent and answers as told.
struct RecordingTransport: ClientTransport {
  struct Exchange: Sendable {
    var request: HTTPRequest
    var body: String?
  }

  let exchanges = LockIsolated<[Exchange]>([])
  var response = HTTPResponse(status: .ok)
  var body = "[]"

  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    let bytes = try await body?.collect(upTo: .max)
    let text = bytes.map { String(decoding: $0, as: UTF8.self) }
    exchanges.withLock { $0.append(Exchange(request: request, body: text)) }
    return (response, HTTPBody(self.body))
  }
}
