/// What the server does with a wish that it cannot grant (RFC 7240 §4.4).
public struct PostgrestHandling: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The handling as it stands in a request.
  public let rawValue: String

  /// Takes any handling.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any handling.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// It refuses the request with `PGRST122`.
  public static let strict: PostgrestHandling = "strict"
  /// It leaves the wish out, which is what it does unless told.
  public static let lenient: PostgrestHandling = "lenient"
}
