extension HTTPRequest {
  /// A request method (RFC 9110 §9), open to methods that are not listed here.
  public struct Method: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The method as it stands in the request line; case matters.
    public let rawValue: String

    /// Takes any method name. A transport refuses one that is not a token.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The method's name.
    public var description: String { rawValue }

    /// Read.
    public static let get = Method(rawValue: "GET")
    /// Read, head only.
    public static let head = Method(rawValue: "HEAD")
    /// Process.
    public static let post = Method(rawValue: "POST")
    /// Replace.
    public static let put = Method(rawValue: "PUT")
    /// Change in part (RFC 5789).
    public static let patch = Method(rawValue: "PATCH")
    /// Remove.
    public static let delete = Method(rawValue: "DELETE")
    /// Ask what is offered.
    public static let options = Method(rawValue: "OPTIONS")
  }
}
