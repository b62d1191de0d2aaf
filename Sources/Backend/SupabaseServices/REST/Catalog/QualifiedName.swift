/// A name in a schema. Two are the same only byte by byte, as for PostgreSQL.
struct QualifiedName: Sendable {
  var schema: String
  var name: String

  init(_ schema: String, _ name: String) {
    self.schema = schema
    self.name = name
  }
}

extension QualifiedName: Hashable {
  static func == (left: Self, right: Self) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && left.schema.utf8.elementsEqual(right.schema.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for part in [schema, name] {
      var part = part
      part.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(0xFF as UInt8)
    }
  }
}
