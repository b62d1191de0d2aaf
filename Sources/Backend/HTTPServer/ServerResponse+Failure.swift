public import SwiftwaterHTTP

extension ServerResponse {
  /// `{"code":"400","message":"…"}` with that status.
  public static func failure(_ status: HTTPResponse.Status, message: String) -> ServerResponse {
    ServerResponse(
      status: status, headerFields: [.contentType: "application/json"],
      body: HTTPBody("{\"code\":\"\(status.code)\",\"message\":\(quoted(message))}"))
  }

  /// In place of a response that cannot go on the wire.
  static var failure: ServerResponse { .failure(.internalServerError, message: failureMessage) }

  /// What a client is told about an error of the server's own: no more than that.
  static let failureMessage = "The server could not answer this request."

  /// The answer to an error of a handler: the status of an `HTTPServerError`, otherwise 500 without the error's words.
  ///
  /// - Throws: a `CancellationError` again, since nobody waits for an answer to it.
  static func answer(to error: any Error, errorResponse: HTTPServer.ErrorResponse) throws -> ServerResponse {
    if error is CancellationError { throw error }
    guard let error = error as? HTTPServerError, error.status != .internalServerError else {
      return errorResponse(.internalServerError, failureMessage)
    }
    return errorResponse(error.status, error.message)
  }

  /// The text as a JSON string.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20:
        quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
