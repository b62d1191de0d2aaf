public import FoundationEssentials
internal import Helpers

/// A value that a filter compares with.
///
/// `nil` is none: nothing equals NULL in SQL, ask with `is(_:value:)`; so an optional does not compile. An enumeration
/// with text or whole numbers for raw values conforms by naming the protocol, every other type by saying what its text is.
public protocol PostgrestFilterValue {
  /// The value as PostgreSQL reads it, without quotes of the request's syntax: filters add those where they are needed.
  var rawValue: String { get }
}

extension String: PostgrestFilterValue {
  /// The text itself.
  public var rawValue: String { self }
}

extension Substring: PostgrestFilterValue {
  /// The text itself.
  public var rawValue: String { String(self) }
}

extension Bool: PostgrestFilterValue {
  /// `true` or `false`.
  public var rawValue: String { self ? "true" : "false" }
}

extension UUID: PostgrestFilterValue {
  /// The identifier in lower case.
  public var rawValue: String { uuidString.lowercased() }
}

extension Date: PostgrestFilterValue {
  /// ISO 8601 in UTC, to the microsecond.
  public var rawValue: String { ISO8601.string(from: self) }
}

extension Data: PostgrestFilterValue {
  /// The bytes as PostgreSQL's `bytea` in hexadecimal digits: `\x00ff`.
  public var rawValue: String {
    reduce(into: "\\x") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
}
