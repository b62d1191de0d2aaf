extension JSONValue {
  /// Reads a JSON text (RFC 8259) in UTF-8, several times as fast as a `JSONDecoder` does and with the same result,
  /// but that of two members with one name the last one counts, as in PostgreSQL.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, which says at which byte reading stopped: what is no JSON, text that is not
  ///   UTF-8 or names half a character (`\ud800`), a number beyond `Double`, more than 512 levels.
  public init(parsing bytes: some Collection<UInt8>) throws {
    let parsed = try bytes.withContiguousStorageIfAvailable { try JSONParser.parse($0) }
    self = try parsed ?? Array(bytes).withUnsafeBufferPointer { try JSONParser.parse($0) }
  }

  /// Reads some members of an object, which may come in any order, and more than once, of which the last counts. The rest
  /// is checked like them, but for being UTF-8.
  ///
  /// - Parameter found: is given the place of a member's name among the names.
  package static func members(
    _ names: [StaticString], of object: [UInt8], _ found: (Int, JSONValue) -> Void
  ) throws {
    try object.withUnsafeBufferPointer { try JSONParser.members(names, of: $0, found) }
  }

  /// Reads a JSON text, as `init(parsing:)` its bytes.
  public init(parsing text: String) throws {
    try self.init(parsing: text.utf8)
  }
}
