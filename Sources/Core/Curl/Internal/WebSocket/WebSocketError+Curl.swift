internal import CCurl
internal import SwiftwaterHTTP
internal import SwiftwaterSockets

extension WebSocketError {
  /// Translates libcurl's result for a connection that has not come about.
  init(_ code: CURLcode, detail: String) {
    self.init(code: .connectionFailed, message: HTTPError(code, detail: detail, hasBegun: false).message)
  }
}
