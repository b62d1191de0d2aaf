public import FoundationEssentials

extension HTTPRequest {
  /// Describes a request for a URL.
  ///
  /// The URL's path and query become the target as they are encoded; user, password and fragment are not sent.
  ///
  /// - Throws: `HTTPError` of the kind `.invalidRequest` when the URL has no scheme or no host.
  public init(method: Method = .get, url: URL, headerFields: HTTPFields = HTTPFields()) throws(HTTPError) {
    guard let scheme = url.scheme, let host = url.host(percentEncoded: true), !host.isEmpty else {
      throw HTTPError(kind: .invalidRequest, message: "A URL with scheme and host is needed, as in https://host/path.")
    }
    let path = url.path(percentEncoded: true)
    // Foundation takes the brackets off an IPv6 address.
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    self.init(
      method: method, scheme: scheme, authority: url.port.map { "\(name):\($0)" } ?? name,
      path: (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? ""),
      headerFields: headerFields)
  }

  /// The URL that the request is for; nil where scheme or authority are not known, or do not make one.
  public var url: URL? {
    guard let scheme, let authority else { return nil }
    return URL(string: "\(scheme)://\(authority)\(path)")
  }
}
