internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

extension AuthError {
  /// What an unsuccessful response says, in any of the forms that auth servers and what stands before them have.
  init(_ response: HTTPErrorResponse) {
    let body = try? JSONDecoder().decode(JSONValue.self, from: Data(response.body))
    func text(_ name: String) -> String? { body?[name]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    // Since 2024-01-01 `code` is a text; before that it is the status, and `error_code` tells. OAuth has `error`, which
    // in other forms is a phrase, and no code has a space.
    let code =
      text("code") ?? text("error_code") ?? response.headers[.xSupabaseErrorCode]
      ?? text("error").flatMap { $0.contains(" ") ? nil : $0 }
    self.init(
      kind: .server,
      message: text("message") ?? text("msg") ?? text("error_description") ?? text("error")
        ?? "The server answered \(Self.name(of: response.statusCode)).",
      errorCode: code.map { ErrorCode($0) } ?? .unknown,
      weakPasswordReasons: body?["weak_password"]?["reasons"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      response: response)
  }

  /// `502 Bad Gateway`; some codes have no name.
  private static func name(of code: Int) -> String {
    let phrase = HTTPResponse.Status(code: code).reasonPhrase
    return phrase.isEmpty ? "\(code)" : "\(code) \(phrase)"
  }

  /// An answer that does not fit the type.
  init(decoding type: Any.Type, _ error: any Error, from bytes: [UInt8], _ response: HTTPResponse) {
    self.init(
      kind: .decoding, message: "The server's answer is no \(type): \(Self.place(of: error)).",
      response: HTTPErrorResponse(
        statusCode: response.status.code, headers: response.headerFields,
        body: Array(bytes.prefix(HTTPErrorResponse.maximumBodySize))),
      underlyingError: error)
  }

  /// Where a decoder has failed. Not what stood there, which may be a secret.
  private static func place(of error: any Error) -> String {
    let path: [any CodingKey]
    switch error as? DecodingError {
    case .keyNotFound(let key, let context)?: path = context.codingPath + [key]
    case .typeMismatch(_, let context)?, .valueNotFound(_, let context)?, .dataCorrupted(let context)?:
      path = context.codingPath
    default: path = []
    }
    return path.isEmpty
      ? "it is not the expected JSON"
      : "look at \(path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."))"
  }

  /// What `error` is to a caller of this module. Cancellation stays `CancellationError`.
  static func wrap(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError, is AuthError: error
    case let error as AccessTokenError:
      AuthError(kind: .accessToken, message: error.message, underlyingError: error.underlyingError)
    case let error as HTTPError:
      AuthError(
        kind: error.kind == .invalidRequest ? .invalidRequest : .transport, message: error.message,
        underlyingError: error)
    default:
      // Not its words, which may hold anything.
      AuthError(
        kind: .transport, message: "The request failed with \(type(of: error)); see underlyingError.",
        underlyingError: error)
    }
  }
}

extension HTTPField.Name {
  /// The version of the server's errors.
  static let xSupabaseAPIVersion = Self(unchecked: "X-Supabase-Api-Version")
  /// The error's code, beside the body.
  static let xSupabaseErrorCode = Self(unchecked: "x-sb-error-code")
}
