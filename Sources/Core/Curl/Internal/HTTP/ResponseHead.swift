internal import SwiftwaterHTTP

/// The head of a final response and how its body will arrive.
struct ResponseHead: Sendable {
  let response: HTTPResponse
  /// The body's length after decoding; nil when there is no body.
  let bodyLength: HTTPBody.Length?

  /// - Parameters:
  ///   - isHead: whether the request's method is HEAD.
  ///   - decodesContent: whether content codings are undone; then the fields that describe them go.
  init(status: Int, fields: HTTPFields, isHead: Bool, decodesContent: Bool) {
    var fields = fields
    var length: HTTPBody.Length? = .unknown
    if isHead || status == 204 || status == 304 {
      length = nil
    } else if decodesContent, let coding = fields[.contentEncoding], coding.lowercased() != "identity" {
      fields[.contentEncoding] = nil
      fields[.contentLength] = nil
    } else if !fields.contains(.transferEncoding), let announced = fields[.contentLength].flatMap({ Int64($0) }) {
      length = .known(announced)
    }
    response = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    bodyLength = length
  }
}
