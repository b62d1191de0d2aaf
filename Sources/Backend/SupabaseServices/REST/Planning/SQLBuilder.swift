internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Collects SQL text and bound parameters; identifiers are quoted and values never become text.
struct SQLBuilder {
  private(set) var text = ""
  private(set) var parameters: [PostgresParameter] = []

  init() {
    // Most statements are shorter: they grow without being moved.
    text.reserveCapacity(640)
    parameters.reserveCapacity(8)
  }

  mutating func sql(_ text: String) { self.text += text }

  mutating func identifier(_ name: String) { text += Self.quoted(name) }

  mutating func name(_ name: QualifiedName) { text += Self.quoted(name) }

  mutating func bind(_ value: String) { bind(.text(value)) }

  mutating func bind(_ value: PostgresParameter) {
    parameters.append(value)
    text += "$"
    text += String(parameters.count)
  }

  /// Appends the elements with `separator` between them.
  mutating func list<Element>(
    _ elements: some Collection<Element>, separator: String = ", ", _ append: (inout SQLBuilder, Element) -> Void
  ) {
    var isFirst = true
    for element in elements {
      if !isFirst { text += separator }
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
