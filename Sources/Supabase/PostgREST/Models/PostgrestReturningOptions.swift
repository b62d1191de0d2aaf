/// What a change returns; open to answers that are not listed here.
public struct PostgrestReturningOptions: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The answer as it stands in a request.
  public let rawValue: String

  /// Takes any answer.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any answer.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Nothing.
  public static let minimal: PostgrestReturningOptions = "minimal"
  /// Nothing but the header fields; after an insertion of one row they have a `Location`, the row's address.
  public static let headersOnly: PostgrestReturningOptions = "headers-only"
  /// The rows as they are afterwards.
  public static let representation: PostgrestReturningOptions = "representation"
}
