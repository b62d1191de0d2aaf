extension CurlTransport {
  /// What becomes of a response that sends the request elsewhere: 301, 302, 303, 307 or 308 with a `Location`.
  public enum Redirects: Sendable, Hashable {
    /// They are followed, so many of them at most; one more is an error of the kind `.redirectFailed`.
    case follow(maximum: Int)
    /// They are returned like any other response.
    case none
  }
}
