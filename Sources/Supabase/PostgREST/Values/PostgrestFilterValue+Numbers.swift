public import FoundationEssentials

extension PostgrestFilterValue where Self: FixedWidthInteger {
  /// The digits.
  public var rawValue: String { String(self) }
}

extension Int: PostgrestFilterValue {}
extension Int8: PostgrestFilterValue {}
extension Int16: PostgrestFilterValue {}
extension Int32: PostgrestFilterValue {}
extension Int64: PostgrestFilterValue {}
extension UInt: PostgrestFilterValue {}
extension UInt8: PostgrestFilterValue {}
extension UInt16: PostgrestFilterValue {}
extension UInt32: PostgrestFilterValue {}
extension UInt64: PostgrestFilterValue {}

extension PostgrestFilterValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
  /// The shortest text that reads back as the same number; `Infinity` and `NaN` as PostgreSQL spells them.
  public var rawValue: String {
    if isNaN { return "NaN" }
    if isInfinite { return self < 0 ? "-Infinity" : "Infinity" }
    return String(self)
  }
}

extension Double: PostgrestFilterValue {}
extension Float: PostgrestFilterValue {}

extension Decimal: PostgrestFilterValue {
  /// The digits.
  public var rawValue: String { description }
}

extension PostgrestFilterValue where Self: RawRepresentable, RawValue: FixedWidthInteger {
  /// The raw value's digits.
  public var rawValue: String {
    // Under this name the property here would ask itself.
    func number(of value: some RawRepresentable<RawValue>) -> RawValue { value.rawValue }
    return String(number(of: self))
  }
}
