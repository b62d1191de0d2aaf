import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams

/// A transport that keeps what was sent and answers as it is told.
final class FakeTransport: ClientTransport {
  struct Exchange: Sendable {
    let request: HTTPRequest
    let body: JSONValue?

    /// The path behind the server's address, without its query.
    var path: String {
      String(request.path.split(separator: "?")[0]).replacing("/auth/v1", with: "", maxReplacements: 1)
    }
    /// `POST /token?grant_type=password`
    var line: String {
      let query = request.path.split(separator: "?", maxSplits: 1).dropFirst().first.map { "?\($0)" } ?? ""
      return "\(request.method) \(path)\(query)"
    }
    var authorization: String? { request.headerFields[.authorization] }
  }

  struct Reply: Sendable {
    var status = 200
    var fields = HTTPFields()
    var body = "{}"
  }

  typealias Answer = @Sendable (Exchange) async throws -> Reply

  private let answer: LockIsolated<Answer>
  private let sent = LockIsolated<[Exchange]>([])

  init(_ answer: @escaping Answer = { _ in Reply() }) { self.answer = LockIsolated(answer) }

  var exchanges: [Exchange] { sent.value }
  var lines: [String] { sent.value.map(\.line) }

  /// From now on.
  func answer(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    let bytes = try await body?.collect(upTo: .max)
    let value = try bytes.map { try JSONDecoder().decode(JSONValue.self, from: Data($0)) }
    let exchange = Exchange(request: request, body: value)
    sent.withLock { $0.append(exchange) }
    let reply = try await answer.value(exchange)
    return (HTTPResponse(status: .init(code: reply.status), headerFields: reply.fields), HTTPBody(reply.body))
  }
}

extension FakeTransport.Reply {
  /// A refusal as servers write it since 2024.
  static func refusal(_ status: Int, _ code: String, _ message: String = "no") -> FakeTransport.Reply {
    FakeTransport.Reply(status: status, body: #"{"code":"\#(code)","message":"\#(message)"}"#)
  }
}
