internal import FoundationEssentials
internal import SwiftwaterPostgres

/// Which columns of other relations the columns of a view show.
struct ViewColumns: Sendable {
  struct Origin: Hashable, Sendable {
    var relation: UInt32
    var column: Int
  }

  var id: UInt32
  var name: QualifiedName
  /// By column number, from 1.
  var columns: [String]
  var origins: [(column: Int, origin: Origin)]
}

extension ViewColumns {
  /// Reads a row of `CatalogQuery.views`.
  init?(_ result: PostgresResult, row: Int) {
    guard let id = result.string(row: row, column: 0).flatMap({ UInt32($0) }),
      let schema = result.string(row: row, column: 1), let name = result.string(row: row, column: 2),
      let columns = result.string(row: row, column: 3),
      let names = try? JSONDecoder().decode([String].self, from: Data(columns.utf8))
    else { return nil }
    self.id = id
    self.name = QualifiedName(schema, name)
    self.columns = names
    origins = result.withBytes(row: row, column: 4) { Self.origins(in: $0) } ?? []
  }

  /// Finds the entries of the outermost target list in PostgreSQL's text form of a query tree (`pg_node_tree`).
  ///
  /// A node is `{TYPE :field value …}`, a list is in parentheses, and a backslash protects what stands behind it.
  static func origins(in tree: UnsafeRawBufferPointer) -> [(column: Int, origin: Origin)] {
    var reader = NodeTreeReader(tree)
    // ({QUERY … :targetList ({TARGETENTRY …} …) …})
    guard reader.find(field: "targetList", atDepth: 1) else { return [] }
    var origins: [(column: Int, origin: Origin)] = []
    while let entry = reader.nextNode() {
      guard let number = entry["resno"], let relation = entry["resorigtbl"], let column = entry["resorigcol"],
        let number = Int(number), let relation = UInt32(relation), let column = Int(column), relation != 0
      else { continue }
      origins.append((number, Origin(relation: relation, column: column)))
    }
    return origins
  }
}

/// Walks over the text of a node tree.
private struct NodeTreeReader {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Goes to the value of the first field of that name in a node at that depth of braces.
  mutating func find(field: StaticString, atDepth wanted: Int) -> Bool {
    var depth = 0
    while let byte = take() {
      switch byte {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ":") where depth == wanted && isField(field):
        index += field.utf8CodeUnitCount + 1
        return true
      default: break
      }
    }
    return false
  }

  /// The plain fields of the next node of a list; nil behind the last.
  mutating func nextNode() -> [String: String]? {
    while let byte = take(), byte != UInt8(ascii: "{") {
      if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "<") { return nil }
    }
    var fields: [String: String] = [:]
    var depth = 1
    while depth > 0, let byte = take() {
      switch byte {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ":") where depth == 1:
        let name = word()
        _ = take()
        if peek != UInt8(ascii: "{"), peek != UInt8(ascii: "(") { fields[name] = word() }
      default: break
      }
    }
    return depth == 0 ? fields : nil
  }

  private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  /// The next byte that is not protected.
  private mutating func take() -> UInt8? {
    while index < bytes.count, bytes[index] == UInt8(ascii: "\\") { index += 2 }
    guard index < bytes.count else { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  private mutating func word() -> String {
    let start = index
    while let byte = peek, byte != UInt8(ascii: " "), byte != UInt8(ascii: "}") {
      index += byte == UInt8(ascii: "\\") ? 2 : 1
    }
    index = min(index, bytes.count)
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private func isField(_ name: StaticString) -> Bool {
    let end = index + name.utf8CodeUnitCount
    guard end < bytes.count, bytes[end] == UInt8(ascii: " ") else { return false }
    return bytes[index..<end].elementsEqual(
      UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }
}
