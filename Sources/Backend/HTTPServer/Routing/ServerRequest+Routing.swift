internal import SwiftwaterHTTP

extension ServerRequest {
  /// What stands in the path for a parameter of the route, decoded. Of `{path...}` it is everything behind the slash.
  ///
  /// A segment may decode to text with slashes, since `%2F` separates nothing.
  ///
  /// - Throws: `HTTPServerError` of the code `.malformedRequest` when the segment is not percent-encoded UTF-8, which
  ///   becomes 400; of the code `.noParameter` when the route's pattern has none of that name, which becomes 500.
  public func parameter(_ name: String) throws(HTTPServerError) -> String {
    guard let raw = rawParameter(name) else {
      throw HTTPServerError(code: .noParameter, message: "The route has no parameter \(name).")
    }
    guard let decoded = raw.percentDecoded else {
      throw .malformed("A part of the path is not percent-encoded UTF-8.")
    }
    return decoded
  }

  /// What stands in the path for a parameter of the route, as on the wire; nil when there is no such parameter.
  public func rawParameter(_ name: String) -> Substring? { route?.value(of: name) }
}

extension ServerRequest {
  /// The whole body.
  ///
  /// - Parameter limit: the largest number of bytes to take. A client that waits for `100 Continue` before it sends
  ///   more is told at once.
  /// - Throws: `HTTPServerError` of the code `.contentTooLarge` when there are more, which becomes 413, and what
  ///   reading the body throws.
  public func collectBody(upTo limit: Int) async throws -> [UInt8] {
    let tooLarge = HTTPServerError(
      code: .contentTooLarge, message: "The request's body is larger than \(limit) bytes.")
    if case .known(let length) = body.length, length > limit { throw tooLarge }
    do {
      return try await body.collect(upTo: limit)
    } catch let error as HTTPError where error.kind == .bodyTooLarge {
      throw tooLarge
    }
  }
}

extension Substring {
  /// The text with `%XX` decoded; nil when a `%` stands without two digits or the bytes are not UTF-8.
  var percentDecoded: String? {
    guard utf8.contains(.percent) else { return String(self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == .percent else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
