/// Comma-separated values with a line of names first (RFC 4180).
struct CSVTable {
  struct Malformed: Error {}

  var names: [String]
  var rows: [[String]]

  init(_ text: String) throws(Malformed) {
    var lines = try Self.lines(text)
    guard !lines.isEmpty else { throw Malformed() }
    names = lines.removeFirst()
    rows = lines
  }

  /// The rows as a JSON array of objects of texts; the word NULL stands for null.
  ///
  /// - Throws: when a line has another number of fields than there are names.
  func json() throws(Malformed) -> String {
    var writer = JSONWriter()
    writer.raw("[")
    for (index, row) in rows.enumerated() {
      guard row.count == names.count else { throw Malformed() }
      if index > 0 { writer.raw(",") }
      writer.object(zip(names, row).map { (name: $0, value: $1 == "NULL" ? .null : JSONWriter.Value.string($1)) })
    }
    writer.raw("]")
    return writer.text
  }

  private static func lines(_ text: String) throws(Malformed) -> [[String]] {
    var lines: [[String]] = []
    var line: [String] = []
    var field = String.UnicodeScalarView()
    var isQuoted = false
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      if isQuoted {
        if scalar != "\"" {
          field.append(scalar)
        } else if scalars.first == "\"" {
          field.append(scalar)
          scalars.removeFirst()
        } else {
          isQuoted = false
        }
        continue
      }
      switch scalar {
      case "\"" where field.isEmpty: isQuoted = true
      case ",":
        line.append(String(field))
        field = .init()
      case "\r" where scalars.first == "\n": break
      case "\n", "\r":
        line.append(String(field))
        lines.append(line)
        (line, field) = ([], .init())
      default: field.append(scalar)
      }
    }
    if isQuoted { throw Malformed() }
    if !line.isEmpty || !field.isEmpty {
      line.append(String(field))
      lines.append(line)
    }
    return lines
  }
}
