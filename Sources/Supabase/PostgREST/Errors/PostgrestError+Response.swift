internal import FoundationEssentials
internal import Helpers

extension PostgrestError {
  private struct Body: Decodable {
    var code: String?
    var message: String?
    var details: String?
    var hint: String?
  }

  /// What an unsuccessful response says; a body that is not PostgREST's JSON (a proxy's page) still gives its status.
  init(_ response: HTTPErrorResponse) {
    let body = try? JSONDecoder().decode(Body.self, from: Data(response.body))
    self.init(
      kind: .server,
      message: body?.message ?? "The server answered \(HTTPResponse.Status(code: response.statusCode)).",
      code: (body?.code).map(Code.init(rawValue:)), details: body?.details, hint: body?.hint, response: response)
  }

  /// What `error` is to a caller of this module. Cancellation stays `CancellationError`.
  static func wrap(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError, is PostgrestError: error
    case let error as AccessTokenError:
      PostgrestError(kind: .accessToken, message: error.message, underlyingError: error.underlyingError)
    case let error as HTTPError where error.kind == .invalidRequest:
      PostgrestError(kind: .invalidRequest, message: error.message, underlyingError: error)
    case let error as HTTPError:
      PostgrestError(kind: .transport, message: error.message, underlyingError: error)
    default:
      // Not its words, which may hold anything.
      PostgrestError(
        kind: .transport, message: "The request failed with \(type(of: error)); see underlyingError.",
        underlyingError: error)
    }
  }

  /// Whether the server wanted to answer with one row and found none.
  var meansNoRow: Bool {
    // The same code says that there are several; only the details tell, in the words of PostgREST 9 to 14.
    code == .notOneRow && details?.contains(" 0 rows") == true
  }
}
