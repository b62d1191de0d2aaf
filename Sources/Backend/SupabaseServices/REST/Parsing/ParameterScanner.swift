/// Walks over the value of one query parameter.
///
/// It goes by Unicode scalars: a comma stays one when a value begins with a combining accent. A grammar is run once
/// for its value and, when that fails, a second time to find out what was expected where it got stuck; so the way
/// that nearly all requests take keeps no books.
struct ParameterScanner {
  /// The text does not fit the grammar.
  struct Failure: Error {}

  private let scalars: String.UnicodeScalarView
  private(set) var index: String.UnicodeScalarView.Index
  private var report: Report?
  private var depth = 0
  private var embeds = 0

  /// How deep parentheses may stand in each other. Grammars and what is made of them recurse, and a thread's stack ends.
  static let maximumDepth = 64

  /// How many entries a list may have, and how many steps a way into JSON: no row has more columns than about that, and
  /// the time that PostgreSQL takes grows with their square.
  static let maximumCount = 1600

  /// How many relations a request may embed, side by side and in each other: each is a join, and the time that
  /// PostgreSQL takes to plan them grows faster than their number.
  static let maximumEmbeds = 100

  /// What was expected at the furthest place that was reached.
  private struct Report {
    var index: String.UnicodeScalarView.Index
    var unexpected: Unicode.Scalar??
    var expected: [String] = []
    var isEndExpected = false
  }

  private init(_ input: String, explains: Bool) {
    scalars = input.unicodeScalars
    index = scalars.startIndex
    if explains { report = Report(index: scalars.startIndex) }
  }

  /// Runs a grammar over `input`.
  ///
  /// - Parameter subject: what the text is, for the error: `order`.
  static func parse<Value>(
    _ input: String, as subject: String, _ grammar: (inout ParameterScanner) throws(Failure) -> Value
  ) throws(RESTError) -> Value {
    var scanner = ParameterScanner(input, explains: false)
    do throws(Failure) {
      return try grammar(&scanner)
    } catch {
      scanner = ParameterScanner(input, explains: true)
      _ = try? grammar(&scanner)
      throw scanner.error(subject, input)
    }
  }

  var isAtEnd: Bool { index == scalars.endIndex }
  var next: Unicode.Scalar? { isAtEnd ? nil : scalars[index] }

  /// Whether `text` comes next; without taking it or expecting it.
  func begins(with text: String) -> Bool { scalars[index...].starts(with: text.unicodeScalars) }

  /// Takes `text` if it comes next.
  ///
  /// - Parameter label: what it is called among the expected things; the text in quotes unless given.
  mutating func skip(_ text: String, as label: String? = nil) -> Bool {
    var position = index
    for scalar in text.unicodeScalars {
      guard position < scalars.endIndex, scalars[position] == scalar else {
        let found: Unicode.Scalar? = position < scalars.endIndex ? scalars[position] : nil
        expected(label ?? "\"\(text)\"", found: .some(found))
        return false
      }
      scalars.formIndex(after: &position)
    }
    index = position
    return true
  }

  mutating func expect(_ text: String, as label: String? = nil) throws(Failure) {
    guard skip(text, as: label) else { throw Failure() }
  }

  /// Whether everything has been taken.
  mutating func end() -> Bool {
    if isAtEnd { return true }
    expected("end of input")
    if report?.index == index { report?.isEndExpected = true }
    return false
  }

  /// Takes scalars while they satisfy `condition`.
  mutating func take(while condition: (Unicode.Scalar) -> Bool) -> Substring.UnicodeScalarView {
    let start = index
    while index < scalars.endIndex, condition(scalars[index]) { scalars.formIndex(after: &index) }
    return Substring(scalars[start..<index]).unicodeScalars
  }

  mutating func takeOne() -> Unicode.Scalar? {
    guard let scalar = next else { return nil }
    scalars.formIndex(after: &index)
    return scalar
  }

  /// Takes everything that is left.
  mutating func takeRest() -> String {
    defer { index = scalars.endIndex }
    return String(scalars[index...])
  }

  mutating func skipSpaces() { while let scalar = next, scalar == " " || scalar == "\t" { _ = takeOne() } }

  /// Runs a grammar for what stands in parentheses, which may have others in it.
  mutating func nested<Value>(
    _ grammar: (inout ParameterScanner) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard depth < Self.maximumDepth else {
      commit()
      expected("at most \(Self.maximumDepth) levels of parentheses")
      throw Failure()
    }
    depth += 1
    defer { depth -= 1 }
    try expect("(")
    let value = try grammar(&self)
    try expect(")")
    return value
  }

  /// Fails for one entry more than a list may have.
  mutating func checkCount(_ count: Int) throws(Failure) {
    guard count >= Self.maximumCount else { return }
    commit()
    expected("at most \(Self.maximumCount) entries")
    throw Failure()
  }

  /// Fails for one embedded relation more than a request may have.
  mutating func countEmbed() throws(Failure) {
    embeds += 1
    guard embeds > Self.maximumEmbeds else { return }
    commit()
    expected("at most \(Self.maximumEmbeds) embedded relations")
    throw Failure()
  }

  // MARK: What was expected

  /// Tells that something would have been welcome here.
  mutating func expected(_ what: @autoclosure () -> String, found: Unicode.Scalar?? = nil) {
    guard let place = report?.index, index >= place else { return }
    let what = what()
    if index > place { report = Report(index: index) }
    let unexpected = found ?? .some(next)
    if report?.unexpected == nil { report?.unexpected = unexpected }
    if report?.expected.contains(what) == false { report?.expected.append(what) }
  }

  /// Runs an alternative; when it fails, the scanner stands where it stood.
  mutating func attempt<Value>(_ grammar: (inout ParameterScanner) throws(Failure) -> Value) -> Value? {
    let start = index
    do throws(Failure) {
      return try grammar(&self)
    } catch {
      index = start
      return nil
    }
  }

  /// As `attempt`, for an alternative whose failure tells nothing: what follows takes the same text.
  mutating func attemptSilently<Value>(_ grammar: (inout ParameterScanner) throws(Failure) -> Value) -> Value? {
    let before = report
    let value = attempt(grammar)
    if value == nil { report = before }
    return value
  }

  /// Forgets what other alternatives expected: this one has taken something.
  mutating func commit() {
    if report != nil { report = Report(index: index) }
  }

  /// Runs a grammar that, if it fails, is what was expected as a whole.
  mutating func labeled<Value>(
    _ label: String, _ grammar: (inout ParameterScanner) throws(Failure) -> Value?
  ) throws(Failure) -> Value {
    let before = report
    if let value = try grammar(&self) { return value }
    if let now = report {
      report?.expected = before?.index == now.index ? before?.expected ?? [] : []
      report?.expected.append(label)
    }
    throw Failure()
  }

  private func error(_ subject: String, _ input: String) -> RESTError {
    let report = report ?? Report(index: index)
    let found: Unicode.Scalar? = report.unexpected ?? (report.index < scalars.endIndex ? scalars[report.index] : nil)
    let quote = report.isEndExpected ? "'" : "\""
    var details = "unexpected " + (found.map { quote + String($0) + quote } ?? "end of input")
    if let last = report.expected.last {
      let others = report.expected.dropLast().joined(separator: ", ")
      details += " expecting " + (others.isEmpty ? last : "\(others) or \(last)")
    }
    let column = scalars.distance(from: scalars.startIndex, to: report.index) + 1
    return RESTError(
      status: 400, code: "PGRST100", message: "\"failed to parse \(subject) (\(input))\" (line 1, column \(column))",
      details: details)
  }
}
