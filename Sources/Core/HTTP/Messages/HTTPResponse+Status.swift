extension HTTPResponse {
  /// A three-digit status code (RFC 9110 §15).
  public struct Status: Sendable, Hashable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// The code, 100 to 999.
    public let code: Int

    /// Takes any code.
    public init(code: Int) { self.code = code }

    /// `404`
    public init(integerLiteral code: Int) { self.init(code: code) }

    /// Whether the code says success (2xx).
    public var isSuccessful: Bool { (200..<300).contains(code) }

    /// The code with its standard phrase: "404 Not Found".
    public var description: String { "\(code) \(reasonPhrase)" }

    /// The standard phrase of the code, empty when there is none.
    public var reasonPhrase: String { Self.reasonPhrases[code] ?? "" }

    /// 200
    public static let ok: Status = 200
    /// 201
    public static let created: Status = 201
    /// 202
    public static let accepted: Status = 202
    /// 204
    public static let noContent: Status = 204
    /// 206
    public static let partialContent: Status = 206
    /// 304
    public static let notModified: Status = 304
    /// 400
    public static let badRequest: Status = 400
    /// 401
    public static let unauthorized: Status = 401
    /// 403
    public static let forbidden: Status = 403
    /// 404
    public static let notFound: Status = 404
    /// 405
    public static let methodNotAllowed: Status = 405
    /// 409
    public static let conflict: Status = 409
    /// 413
    public static let contentTooLarge: Status = 413
    /// 422
    public static let unprocessableContent: Status = 422
    /// 429
    public static let tooManyRequests: Status = 429
    /// 500
    public static let internalServerError: Status = 500
    /// 503
    public static let serviceUnavailable: Status = 503

    private static let reasonPhrases: [Int: String] = [
      100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content",
      206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other",
      304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
      401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
      408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
      413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable",
      417: "Expectation Failed", 422: "Unprocessable Content", 426: "Upgrade Required", 428: "Precondition Required",
      429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
      501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
      505: "HTTP Version Not Supported",
    ]
  }
}
