extension HTTPRequest {
  /// Whether one request may be sent again.
  public enum Retry: Sendable, Hashable {
    /// As the client's policy says for its method.
    case byMethod
    /// As the policy says for its methods, whatever this request's method is: the request only reads, say.
    case always
    /// Not at all.
    case never
  }
}
