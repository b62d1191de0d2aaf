internal import Helpers
internal import SwiftwaterHTTP
internal import SwiftwaterSessions

extension AuthError {
  /// There is no session.
  static let sessionMissing = AuthError(kind: .sessionMissing, message: "Nobody is signed in; sign in first.")

  /// What the session's engine has thrown, to a caller of this module.
  static func session(_ error: any Error) -> any Error {
    guard let error = error as? CredentialError else { return wrap(error) }
    switch error.code {
    case .absent: return sessionMissing
    case .refused:
      let refusal = error.cause as? AuthError
      return AuthError(
        kind: .sessionMissing,
        message: "The server has ended the session: \(refusal?.message ?? "it was refused"). Sign in again.",
        errorCode: refusal?.errorCode ?? .unknown, response: refusal?.response, underlyingError: error.cause)
    case .refreshFailed:
      // Its cause is from this module as well.
      if let cause = error.cause { return wrap(cause) }
      return AuthError(kind: .transport, message: error.message)
    case .superseded:
      return AuthError(
        kind: .refreshDiscarded,
        message: "Somebody has signed in or out while the request was under way; its result was dropped.")
    case .unencodable: return AuthError(kind: .decoding, message: error.message, underlyingError: error.cause)
    case .shutDown: return AuthError(kind: .sessionMissing, message: "The client is released; make another one.")
    default: return AuthError(kind: .storage, message: error.message, underlyingError: error.cause ?? error)
    }
  }

  /// What the error of a refresh means for the session. Only the auth server itself ends one, and only by a refusal
  /// that will stay: a gateway's complaint about the project's key, or a page of whatever stands between, does not.
  var refreshFailure: RefreshFailure {
    let retryAfter = response.flatMap { RetryAfterField.delay(in: $0.headers) }
    guard kind == .server, let status, [400, 401, 403, 404, 422].contains(status) else {
      return .transient(retryAfter: retryAfter)
    }
    if Self.endingCodes.contains(errorCode) { return .refused }
    // Servers of 2023 and before have no codes and say it in words.
    let isOld = errorCode == .unknown && message.lowercased().hasPrefix("invalid refresh token")
    return isOld ? .refused : .transient(retryAfter: retryAfter)
  }

  /// Codes after which a session cannot be renewed any more.
  static let endingCodes: Set<ErrorCode> = [
    .sessionNotFound, .sessionExpired, .refreshTokenNotFound, .refreshTokenAlreadyUsed, .invalidGrant, .userNotFound,
    .userBanned,
  ]
}
