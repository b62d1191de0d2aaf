public import FoundationEssentials
internal import Helpers

/// A value that a filter compares with.
///
/// `nil` is none: `eq` never matches NULL in SQL, ask with `is(_:value:)`. An enumeration with text or numbers for raw
/// values conforms by naming the protocol.
public protocol PostgrestFilterValue {
  /// The value as PostgreSQL reads it.
  var postgrestValue: String { get }
}

extension PostgrestFilterValue where Self: RawRepresentable, RawValue: PostgrestFilterValue {
  /// The raw value's text.
  public var postgrestValue: String { rawValue.postgrestValue }
}

extension String: PostgrestFilterValue {
  /// The text itself.
  public var postgrestValue: String { self }
}

extension Bool: PostgrestFilterValue {
  /// `true` or `false`.
  public var postgrestValue: String { self ? "true" : "false" }
}

extension Int: PostgrestFilterValue {
  /// The digits.
  public var postgrestValue: String { String(self) }
}

extension Int64: PostgrestFilterValue {
  /// The digits.
  public var postgrestValue: String { String(self) }
}

extension Double: PostgrestFilterValue {
  /// The shortest text that reads back as the same number; `Infinity` and `NaN` as PostgreSQL spells them.
  public var postgrestValue: String {
    if isNaN { return "NaN" }
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    return String(self)
  }
}

extension Decimal: PostgrestFilterValue {
  /// The digits.
  public var postgrestValue: String { description }
}

extension UUID: PostgrestFilterValue {
  /// The identifier in lower case.
  public var postgrestValue: String { uuidString.lowercased() }
}

extension Date: PostgrestFilterValue {
  /// ISO 8601 in UTC, to the microsecond.
  public var postgrestValue: String { ISO8601.string(from: self) }
}
