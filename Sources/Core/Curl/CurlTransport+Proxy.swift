extension CurlTransport {
  /// The way to the servers.
  ///
  /// Requests for `http` go to an HTTP proxy, all others through a tunnel (`CONNECT`) that it opens. A SOCKS proxy
  /// carries everything. A description hides the proxy's password.
  public enum Proxy: Sendable, Hashable {
    /// The proxy that the environment names: `http_proxy`, `https_proxy` or `HTTPS_PROXY`, else `all_proxy` or
    /// `ALL_PROXY`; none for the hosts of `no_proxy` or `NO_PROXY`. `HTTP_PROXY` is not read, because clients of a CGI
    /// program can set it.
    case environment
    /// No proxy.
    case none
    /// This proxy for every host: `http://proxy.example:3128`, also `https`, `socks4`, `socks4a`, `socks5`, or
    /// `socks5h`, which resolves names itself. A name and a password stand before the host: `http://me:secret@…`.
    case server(String)
  }
}

extension CurlTransport.Proxy: CustomStringConvertible {
  /// The proxy without its name and password.
  public var description: String {
    switch self {
    case .environment: return "environment"
    case .none: return "none"
    case .server(let url):
      guard let mark = url.lastIndex(of: "@") else { return url }
      let scheme = url.firstRange(of: "://").map { url[..<$0.upperBound] } ?? ""
      return "\(scheme)…\(url[mark...])"
    }
  }
}
