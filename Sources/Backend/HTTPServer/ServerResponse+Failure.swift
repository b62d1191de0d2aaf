public import SwiftwaterHTTP

extension ServerResponse {
  /// `{"code":"400","message":"…"}` with that status.
  public static func failure(_ status: HTTPResponse.Status, message: String) -> ServerResponse {
    ServerResponse(
      status: status, headerFields: [.contentType: "application/json"],
      body: HTTPBody("{\"code\":\"\(status.code)\",\"message\":\(quoted(message))}"))
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
