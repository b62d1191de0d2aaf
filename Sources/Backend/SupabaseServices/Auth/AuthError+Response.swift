internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

extension AuthError {
  /// The answer, in the shape that the request's `X-Supabase-Api-Version` asks for.
  func response(to request: HTTPRequest) -> ServerResponse {
    let version = APIVersion(request)
    var body: [String: JSONValue] =
      version.hasTextCodes
      ? ["code": .string(code.rawValue), "message": .string(message)]
      : ["code": .integer(status), "error_code": .string(code.rawValue), "msg": .string(message)]
    if let weakPasswordReasons {
      body["weak_password"] = ["reasons": .array(weakPasswordReasons.map(JSONValue.string))]
    }
    var response = ServerResponse.json(.object(body), status: .init(code: status))
    response.head.headerFields[.errorCode] = code.rawValue
    if version.hasTextCodes { response.head.headerFields[.apiVersion] = APIVersion.textCodes }
    if let retryAfter { response.head.headerFields[.retryAfter] = String(retryAfter) }
    if status == 401 { response.head.headerFields[.wwwAuthenticate] = "Bearer" }
    return response
  }

  /// What a failed redirect tells the application (RFC 6749 §4.1.2.1).
  var redirectParameters: [(name: String, value: String)] {
    let kind =
      switch status {
      case 400, 422: "invalid_request"
      case 401: "unauthorized_client"
      case 403: "access_denied"
      case 503: "temporarily_unavailable"
      default: "server_error"
      }
    return [("error", kind), ("error_code", code.rawValue), ("error_description", message)]
  }
}

/// The version of the interface that a client speaks: a date.
struct APIVersion {
  static let textCodes = "2024-01-01"

  /// Whether errors have a `code` of text and a `message`.
  let hasTextCodes: Bool

  init(_ request: HTTPRequest) {
    let text = request.headerFields[.apiVersion] ?? ""
    let isDate =
      text.utf8.count == 10
      && text.split(separator: "-", omittingEmptySubsequences: false).map(\.utf8.count) == [4, 2, 2]
      && text.allSatisfy { $0.isASCII && $0.isNumber || $0 == "-" }
    // Dates in this form are in order as texts are.
    hasTextCodes = isDate && text >= Self.textCodes
  }
}

extension ServerResponse {
  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> ServerResponse {
    ServerResponse(
      status: status, headerFields: [.contentType: "application/json", .cacheControl: "no-store"],
      body: HTTPBody(value.description))
  }

  /// Sends a browser elsewhere with `GET`.
  static func redirect(to address: String, status: HTTPResponse.Status = 303) -> ServerResponse {
    ServerResponse(status: status, headerFields: [.location: address, .cacheControl: "no-store"])
  }
}

extension HTTPField.Name {
  static let apiVersion = Self(unchecked: "X-Supabase-Api-Version")
  static let errorCode = Self(unchecked: "x-sb-error-code")
}
