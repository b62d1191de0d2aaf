internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Collects SQL text and bound parameters; identifiers are quoted and values never become text.
struct SQLBuilder {
  // Bytes, since a String looks each time at what it is made of.
  private var bytes: [UInt8] = []
  private(set) var parameters: [PostgresParameter] = []

  init() {
    // Most statements are shorter: they grow without being moved.
    bytes.reserveCapacity(768)
    parameters.reserveCapacity(8)
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func sql(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  mutating func identifier(_ name: String) { sql(Self.quoted(name)) }

  mutating func name(_ name: QualifiedName) { sql(Self.quoted(name)) }

  mutating func bind(_ value: String) { bind(.text(value)) }

  mutating func bind(_ value: PostgresParameter) {
    parameters.append(value)
    bytes.append(UInt8(ascii: "$"))
    sql(String(parameters.count))
  }

  /// Appends the elements with `separator` between them.
  mutating func list<Element>(
    _ elements: some Collection<Element>, separator: String = ", ", _ append: (inout SQLBuilder, Element) -> Void
  ) {
    var isFirst = true
    for element in elements {
      if !isFirst { sql(separator) }
      isFirst = false
      append(&self, element)
    }
  }

  static func quoted(_ identifier: String) -> String {
    let hasQuote = identifier.utf8.contains(UInt8(ascii: "\""))
    return "\"" + (hasQuote ? identifier.escaping(["\""], with: "\"") : identifier) + "\""
  }

  static func quoted(_ name: QualifiedName) -> String { quoted(name.schema) + "." + quoted(name.name) }

  /// An array in PostgreSQL's text form with every element quoted, so none is taken for NULL or a separator.
  static func arrayLiteral(_ elements: [String]) -> String {
    let quoted = elements.map { "\"" + $0.escaping(["\\", "\""], with: "\\") + "\"" }
    return "{" + quoted.joined(separator: ",") + "}"
  }
}
