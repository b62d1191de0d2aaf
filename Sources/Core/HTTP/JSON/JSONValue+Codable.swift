public import FoundationEssentials

extension JSONValue: Codable {
  /// Reads any value. A whole number beyond `Int` becomes a `double`, as in every JSON reader without big numbers.
  public init(from decoder: any Decoder) throws {
    // Objects and lists first: a decoder says at once whether it holds one, and only they are many levels deep.
    if let container = try? decoder.container(keyedBy: MemberName.self) {
      var members: [String: JSONValue] = [:]
      for name in container.allKeys { members[name.stringValue] = try container.decode(JSONValue.self, forKey: name) }
      self = .object(members)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else {
      self = .double(try container.decode(Double.self))
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .object(let members):
      var container = encoder.container(keyedBy: MemberName.self)
      for (name, value) in members { try container.encode(value, forKey: MemberName(stringValue: name)) }
    case .null, .bool, .integer, .double, .string:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }

  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension JSONValue {
  /// What `value` is in JSON.
  ///
  /// - Throws: `EncodingError` from `value`.
  public init(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: encoder.encode(value))
  }

  /// The value as another type.
  ///
  /// - Throws: `DecodingError` when it does not fit.
  public func decode<Value: Decodable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(Value.self, from: JSONEncoder().encode(self))
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON, members in the order of their names.
  public var description: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only numbers that JSON has no notation for, infinity and NaN, cannot be written.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "(not JSON)"
  }
}
