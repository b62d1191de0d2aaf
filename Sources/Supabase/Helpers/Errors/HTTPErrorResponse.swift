/// The response that an error is about: a refusal, or an answer that could not be used.
public struct HTTPErrorResponse: Sendable {
  /// The status code.
  public let statusCode: Int
  /// The header fields.
  public let headers: HTTPFields
  /// The body, its first mebibyte at most.
  public let body: [UInt8]

  /// The server's name for this exchange, to quote to its operators.
  public var requestID: String? { headers[.sbRequestID] }

  /// How much of an error's body is kept: 1 MiB.
  public static let maximumBodySize = 1 << 20

  /// Describes a response.
  public init(statusCode: Int, headers: HTTPFields, body: [UInt8]) {
    self.statusCode = statusCode
    self.headers = headers
    self.body = body
  }

  /// Reads what is kept of an unsuccessful response's body.
  package init(_ response: HTTPResponse, body: HTTPBody) async throws {
    let kept = try await body.collect(atMost: Self.maximumBodySize)
    self.init(statusCode: response.status.code, headers: response.headerFields, body: kept)
  }
}
