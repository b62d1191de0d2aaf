/// The words that all parameters are made of.
extension ParameterScanner {
  /// A field's name: letters, digits, `_`, `$`, spaces and dashes, or anything in double quotes.
  mutating func fieldName() throws(Failure) -> String {
    if next == "\"" { return try quoted() }
    guard let name = dashed(\.isNamePart) else {
      expected("field name (* or [a..z0..9_$])")
      throw Failure()
    }
    expected("letter")
    expected("digit")
    expected("\"-\"")
    return name
  }

  /// The name of a type or a text search configuration. It may be inserted as SQL: nothing but words passes.
  mutating func identifier() throws(Failure) -> String {
    let name = take(while: \.isNamePart)
    guard !name.isEmpty else {
      expected("letter")
      expected("digit")
      throw Failure()
    }
    return name.trimmed
  }

  /// A text in double quotes, in which a backslash takes the next character as it is.
  mutating func quoted() throws(Failure) -> String {
    try expect("\"")
    var text = String.UnicodeScalarView()
    while let scalar = takeOne() {
      switch scalar {
      case "\"": return String(text)
      case "\\":
        guard let escaped = takeOne() else { throw Failure() }
        text.append(escaped)
      default: text.append(scalar)
      }
    }
    expected("\"\\\"\"")
    throw Failure()
  }

  /// A quoted text with nothing but a comma or a closing parenthesis behind it.
  mutating func quotedElement() -> String? {
    guard next == "\"" else { return nil }
    return attemptSilently { scanner throws(Failure) in
      let text = try scanner.quoted()
      guard scanner.isAtEnd || scanner.next == "," || scanner.next == ")" else { throw Failure() }
      return text
    }
  }

  /// A field and the path into it: `data->tags->>0`.
  mutating func fieldPath() throws(Failure) -> FieldPath {
    skipSpaces()
    let name = try fieldName()
    let steps = try jsonPath()
    skipSpaces()
    return FieldPath(name: name, steps: steps)
  }

  mutating func jsonPath() throws(Failure) -> [FieldPath.Step] {
    var steps: [FieldPath.Step] = []
    while true {
      let isText = skip("->>")
      guard isText || skip("->") else { return steps }
      try checkCount(steps.count)
      steps.append(.init(operand: try jsonOperand(), isText: isText))
    }
  }

  private mutating func jsonOperand() throws(Failure) -> FieldPath.Step.Operand {
    let index = attempt { scanner throws(Failure) in
      let sign = scanner.next == "-" ? "-" : "+"
      if sign == "-" { _ = scanner.takeOne() } else { scanner.expected("\"-\"") }
      let digits = scanner.take { $0 >= "0" && $0 <= "9" }
      scanner.expected("digit")
      guard !digits.isEmpty else { throw Failure() }
      for end in ["->", "::", ".", ","] {
        if scanner.begins(with: end) { return sign + String(digits) }
        scanner.expected("\"\(end)\"")
      }
      // Inside parentheses, as an order by a field of an embedded relation is.
      guard scanner.next == ")" || scanner.end() else { throw Failure() }
      return sign + String(digits)
    }
    if let index { return .index(index) }
    if next == "\"" { return .key(try quoted()) }
    guard let key = dashed({ !"(-:.,>)".unicodeScalars.contains($0) }) else {
      expected("any non reserved character different from: .,>()")
      throw Failure()
    }
    return .key(key)
  }

  /// Words of such scalars with dashes between them; an arrow's dash is none.
  private mutating func dashed(_ isPart: (Unicode.Scalar) -> Bool) -> String? {
    var name = take(while: isPart).trimmed
    guard !name.isEmpty else { return nil }
    while next == "-", !begins(with: "->") {
      let word = attemptSilently { scanner throws(Failure) in
        _ = scanner.takeOne()
        let word = scanner.take(while: isPart)
        guard !word.isEmpty else { throw Failure() }
        return word.trimmed
      }
      guard let word else { break }
      name += "-" + word
    }
    return name
  }
}

extension Unicode.Scalar {
  /// Whether it may stand in a name without quotes.
  fileprivate var isNamePart: Bool {
    if isASCII {
      return ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self) || self == "_"
        || self == " " || self == "$"
    }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
      return true
    default: return false
    }
  }
}

extension Substring.UnicodeScalarView {
  /// The text without spaces at both ends.
  fileprivate var trimmed: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
