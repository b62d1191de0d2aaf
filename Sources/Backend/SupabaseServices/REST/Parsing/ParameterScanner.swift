/// Walks over the value of one query parameter; its errors name the place.
///
/// It goes by Unicode scalars: a comma stays one when a value begins with a combining accent.
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
  var next: Unicode.Scalar? { isAtEnd ? nil : input.unicodeScalars[index] }
  var rest: Substring { input[index...] }

  /// Whether `text` comes next.
  func begins(with text: String) -> Bool { input[index...].unicodeScalars.starts(with: text.unicodeScalars) }

  /// Consumes `text` if it comes next.
  mutating func skip(_ text: String) -> Bool {
    guard begins(with: text) else { return false }
    index = input.unicodeScalars.index(index, offsetBy: text.unicodeScalars.count)
    return true
  }

  /// Consumes characters while they satisfy `condition`.
  mutating func take(while condition: (Unicode.Scalar) -> Bool) -> Substring {
    let start = index
    while let scalar = next, condition(scalar) { advance() }
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
    let name = take(while: \.isNamePart)
    guard !name.isEmpty else { throw failure(expecting: "field name (* or [a..z0..9_$])") }
    return String(name)
  }

  /// A text in double quotes, in which a backslash takes the next character as it is.
  mutating func quoted() throws(RESTError) -> String {
    advance()
    var text = String.UnicodeScalarView()
    while let scalar = next {
      advance()
      switch scalar {
      case "\"":
        return String(text)
      case "\\":
        guard let escaped = next else { throw failure(expecting: "a character after \"\\\\\"") }
        advance()
        text.append(escaped)
      default:
        text.append(scalar)
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
      subject, input, at: input.unicodeScalars.distance(from: input.startIndex, to: index),
      unexpected: next.map { "\"\($0)\"" } ?? "end of input", expecting: expecting)
  }

  private mutating func advance() { index = input.unicodeScalars.index(after: index) }
}

extension Unicode.Scalar {
  /// Whether it may stand in a column's name without quotes.
  fileprivate var isNamePart: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: self == "_" || self == "$" || self == " " || self == "-"
    }
  }
}
