public import FoundationEssentials
public import Helpers

/// The answer to a request and what came with it.
public struct PostgrestResponse<Value> {
  /// The decoded rows.
  public let value: Value
  /// The body as it came.
  public let data: Data
  /// The head of the response.
  public let response: HTTPResponse

  /// The status code.
  public var status: Int { response.status.code }

  /// The number of all rows that match, without limit and offset; nil unless the request asked with `count:`.
  public var count: Int? {
    response.headerFields[.contentRange]?.split(separator: "/").last.flatMap { Int($0) }
  }

  /// The body as text.
  public var string: String { String(decoding: data, as: UTF8.self) }
}

// The decoded type need not be Sendable; where it is, so is the response.
extension PostgrestResponse: Sendable where Value: Sendable {}
