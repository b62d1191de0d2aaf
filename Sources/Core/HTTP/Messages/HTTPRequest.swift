/// The head of a request.
///
/// Names and shape follow the swift-http-types package, so that its users feel at home.
public struct HTTPRequest: Sendable, Hashable, CustomStringConvertible {
  /// What is to be done.
  public var method: Method
  /// `http` or `https`; nil where the message does not say, as on a server.
  public var scheme: String?
  /// Host and port, `example.com:8080`.
  public var authority: String?
  /// The target as on the wire: path and query, percent-encoded, untouched.
  public var path: String
  /// The header fields.
  public var headerFields: HTTPFields
  /// The longest time without a byte in either direction before the request fails; nil leaves it to the configuration.
  ///
  /// An idle timeout: a slow answer that keeps moving does not fail.
  public var timeout: Duration?
  /// Whether the request may be sent again; the client's `RetryPolicy` decides by the method unless this says otherwise.
  public var retry = Retry.byMethod

  /// Describes a request. Everything but the method has a default.
  public init(
    method: Method, scheme: String? = nil, authority: String? = nil, path: String = "/",
    headerFields: HTTPFields = HTTPFields(), timeout: Duration? = nil
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.headerFields = headerFields
    self.timeout = timeout
  }

  /// Method, target and fields, without queries and secrets.
  public var description: String {
    let origin = authority.map { "\(scheme ?? "http")://\($0)" } ?? ""
    return (["\(method.rawValue) \(Redactor.quote(origin + path))"] + headerFields.map(\.description))
      .joined(separator: "\n")
  }
}
