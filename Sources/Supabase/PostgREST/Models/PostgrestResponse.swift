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

  /// The wishes that the server has granted, as it names them: `count=exact`.
  public var appliedPreferences: [String] {
    response.headerFields[values: .preferenceApplied].flatMap { $0.split(separator: ",") }
      .map { $0.trimmingPrefix(while: \.isWhitespace) }.map { String($0) }
  }

  /// The body as text.
  public var string: String { String(decoding: data, as: UTF8.self) }

  /// The body as text in an encoding; nil if it is none in that.
  public func string(encoding: String.Encoding = .utf8) -> String? { String(data: data, encoding: encoding) }
}

// The decoded type need not be Sendable; where it is, so is the response.
extension PostgrestResponse: Sendable where Value: Sendable {}
