public import Helpers

extension JSONValue: PostgrestFilterValue {
  /// The value as JSON, for columns of the type `jsonb`: a text is in quotes, a list is no PostgreSQL array.
  public var rawValue: String { description }
}

extension Dictionary: PostgrestFilterValue where Key == String, Value == JSONValue {
  /// The object as JSON.
  public var rawValue: String { JSONValue.object(self).description }
}
