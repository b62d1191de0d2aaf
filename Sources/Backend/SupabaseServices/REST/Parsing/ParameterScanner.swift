/// Walks over the value of one query parameter; its errors name the place.
struct ParameterScanner {
  /// What is parsed, for error messages: "filter", "order".
  let subject: String
  let input: String
  private(set) var index: String.Index

  init(_ input: String, subject: String) {
    self.input = input
    self.subject = subject
    index = input.startIndex
  }

  var isAtEnd: Bool { index == input.endIndex }
  var next: Character? { isAtEnd ? nil : input[index] }
  var rest: Substring { input[index...] }

  /// Consumes `text` if it comes next.
  mutating func skip(_ text: String) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    index = input.index(index, offsetBy: text.count)
    return true
  }

  /// Consumes characters while they satisfy `condition`.
  mutating func take(while condition: (Character) -> Bool) -> Substring {
    let start = index
    while let character = next, condition(character) { index = input.index(after: index) }
    return input[start..<index]
  }

  /// Consumes everything that is left.
  mutating func takeRest() -> String {
    defer { index = input.endIndex }
    return String(rest)
  }

  /// A column name: letters, digits, `_`, `$`, spaces and dashes, or anything in double quotes.
  mutating func columnName() throws(RESTError) -> String {
    if next == "\"" { return try quoted() }
    let name = take { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || $0 == " " || $0 == "-" }
    guard !name.isEmpty else { throw failure(expecting: "field name (* or [a..z0..9_$])") }
    return String(name)
  }

  /// A text in double quotes, in which a backslash takes the next character as it is.
  mutating func quoted() throws(RESTError) -> String {
    index = input.index(after: index)
    var text = ""
    while let character = next {
      index = input.index(after: index)
      switch character {
      case "\"":
        return text
      case "\\":
        guard let escaped = next else { throw failure(expecting: "a character after \"\\\\\"") }
        index = input.index(after: index)
        text.append(escaped)
      default:
        text.append(character)
      }
    }
    throw failure(expecting: "\"\\\"\"")
  }

  /// Fails unless everything has been consumed.
  func expectEnd(or expectation: String) throws(RESTError) {
    guard isAtEnd else { throw failure(expecting: "\(expectation) or end of input") }
  }

  func failure(expecting: String) -> RESTError {
    .parse(
      subject, input, at: input.distance(from: input.startIndex, to: index),
      unexpected: next.map { "\"\($0)\"" } ?? "end of input", expecting: expecting)
  }
}
