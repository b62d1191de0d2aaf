internal import FoundationEssentials
internal import Helpers

// Messages tell places and types. What stood at a place can be a secret, and the coders' own words quote it.
extension PostgrestError {
  /// The values as JSON.
  ///
  /// - Parameter what: what they are to the caller, for the message.
  static func encode(
    _ values: some Encodable, with encoder: JSONEncoder, what: String
  ) throws(PostgrestError) -> [UInt8] {
    do {
      return Array(try encoder.encode(values))
    } catch {
      let place = (error as? EncodingError).map { ": at \($0.codingPath.text)" } ?? ""
      throw PostgrestError(
        kind: .invalidRequest, message: "The \(what) cannot be encoded as JSON\(place).", underlyingError: error)
    }
  }

  /// The answer does not fit the type.
  init(decoding type: Any.Type, _ error: any Error, from data: Data, _ response: HTTPResponse) {
    let reason =
      switch error {
      case _ where data.isEmpty: "it has no body. Ask for rows by select(), or execute without a value"
      case DecodingError.typeMismatch(let type, let context): "at \(context.codingPath.text) is no \(type)"
      case DecodingError.valueNotFound(let type, let context): "at \(context.codingPath.text) is null, not \(type)"
      case DecodingError.keyNotFound(let key, let context):
        "at \(context.codingPath.text) is no member \"\(key.stringValue)\""
      case DecodingError.dataCorrupted(let context): "the value at \(context.codingPath.text) cannot be read"
      default: "its decoder threw \(Swift.type(of: error))"
      }
    self.init(
      kind: .decoding, message: "The answer does not fit \(type): \(reason).",
      response: HTTPErrorResponse(
        statusCode: response.status.code, headers: response.headerFields,
        body: Array(data.prefix(HTTPErrorResponse.maximumBodySize))),
      underlyingError: error)
  }
}

extension EncodingError {
  fileprivate var codingPath: [any CodingKey] {
    switch self {
    case .invalidValue(_, let context): context.codingPath
    @unknown default: []
    }
  }
}

extension [any CodingKey] {
  /// `[3].author.name`; `the top` for none.
  fileprivate var text: String {
    isEmpty
      ? "the top" : reduce(into: "") { $0 += $1.intValue.map { "[\($0)]" } ?? ($0.isEmpty ? "" : ".") + $1.stringValue }
  }
}
