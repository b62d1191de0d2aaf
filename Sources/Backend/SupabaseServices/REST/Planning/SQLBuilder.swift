internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Collects SQL text and bound parameters; identifiers are quoted and values never become text.
struct SQLBuilder {
  private(set) var text = ""
  private(set) var parameters: [PostgresParameter] = []

  mutating func sql(_ text: String) { self.text += text }

  mutating func identifier(_ name: String) { text += Self.quoted(name) }

  mutating func bind(_ value: String) {
    parameters.append(.text(value))
    text += "$\(parameters.count)"
  }

  /// Appends the elements with `separator` between them.
  mutating func list<Element>(
    _ elements: [Element], separator: String = ", ", _ append: (inout SQLBuilder, Element) -> Void
  ) {
    for (index, element) in elements.enumerated() {
      if index > 0 { text += separator }
      append(&self, element)
    }
  }

  mutating func relation(_ relation: Relation) {
    identifier(relation.schema)
    text += "."
    identifier(relation.name)
  }

  mutating func column(_ name: String, of relation: Relation) {
    self.relation(relation)
    text += "."
    identifier(name)
  }

  static func quoted(_ identifier: String) -> String {
    "\"" + identifier.escaping(["\""], with: "\"") + "\""
  }
}
