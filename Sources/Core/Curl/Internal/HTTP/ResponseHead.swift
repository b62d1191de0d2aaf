internal import SwiftwaterHTTP

/// The head of a final response and how its body will arrive.
struct ResponseHead: Sendable {
  let response: HTTPResponse
  /// The body's length after decoding; nil when there is no body.
  let bodyLength: HTTPBody.Length?
}
