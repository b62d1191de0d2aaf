extension CurlTransport {
  /// The versions of HTTP that a transport speaks.
  public enum HTTPVersion: Sendable, Hashable {
    /// HTTP/2 over TLS with servers that offer it (ALPN, RFC 7301), with many requests on one connection; HTTP/1.1 with
    /// the others and over plain connections.
    case automatic
    /// HTTP/1.1.
    case http1Only
    /// HTTP/2, over plain connections too, without asking the server (RFC 9113 §3.3). libcurl 7.87 and 7.88 cannot use
    /// a plain connection a second time; with them each such request opens its own.
    case http2PriorKnowledge
  }
}
