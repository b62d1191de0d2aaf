/// What an error that a refresh has thrown means for the credential.
public enum RefreshFailure: Sendable, Hashable {
  /// The server may renew it another time: no network, a timeout, an overload, an answer that nobody understands.
  ///
  /// - Parameter retryAfter: How long the server asks to wait, if it does; the longest wait is the configured
  ///   `backoff.cap`.
  case transient(retryAfter: Duration? = nil)
  /// The server has refused it for good, for instance as it was revoked. The credential has ended.
  case refused
}
