/// Any JSON value (RFC 8259).
///
/// ```swift
/// let filter: JSONValue = ["status": "open", "tags": ["a", "b"], "limit": 10]
/// ```
public enum JSONValue: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number without a fraction that fits.
  case integer(Int)
  /// Any other number.
  case double(Double)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by name, without an order.
  case object([String: JSONValue])
}

extension JSONValue {
  /// The boolean; nil if the value is none.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The whole number; nil if the value is none.
  public var intValue: Int? {
    switch self {
    case .integer(let value): value
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number; nil if the value is none.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The text; nil if the value is none.
  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  /// The list; nil if the value is none.
  public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The members; nil if the value is no object.
  public var objectValue: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

  /// Whether the value is `null`.
  public var isNull: Bool { self == .null }

  /// The member of that name; nil if there is none, or the value is no object. Setting a member makes an object of any
  /// other value; nil removes it.
  public subscript(name: String) -> JSONValue? {
    get { objectValue?[name] }
    set {
      var members = objectValue ?? [:]
      members[name] = newValue
      self = .object(members)
    }
  }

  /// The element at that place; nil if there is none, or the value is no list.
  public subscript(index: Int) -> JSONValue? {
    guard let elements = arrayValue, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `nil`
  public init(nilLiteral: ()) { self = .null }
  /// `true`
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// `10`
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// `1.5`
  public init(floatLiteral value: Double) { self = .double(value) }
  /// `"open"`
  public init(stringLiteral value: String) { self = .string(value) }
  /// `["a", "b"]`
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// `["status": "open"]`; of two members with one name the last one stays.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
