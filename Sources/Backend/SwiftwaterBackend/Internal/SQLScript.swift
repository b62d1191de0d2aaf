/// A text of several SQL statements, taken apart where PostgreSQL would: to say where one of them stands, and what it is.
///
/// Semicolons end a statement but in quotes, dollar quotes, comments, parentheses and the bodies of SQL-standard
/// functions (`BEGIN ATOMIC … END`). Places are counted in code points, as PostgreSQL counts.
struct SQLScript {
  struct Statement: Equatable {
    /// Where its first word begins.
    var start: Int
    /// Where its last word or sign ends.
    var end: Int
    var kind = Kind.ordinary
  }

  /// What has to be known of a statement before PostgreSQL sees it.
  enum Kind: Equatable {
    case ordinary
    /// `COPY … FROM STDIN`, whose rows would follow it.
    case copyFromInput
    /// `BEGIN` or `START TRANSACTION` without further ado.
    case begin
    /// `COMMIT` or `END` without further ado.
    case commit
    /// Everything else that begins or ends a transaction. (Savepoints do not.)
    case transactionControl
    /// `\name` of psql's: what follows is no SQL.
    case psqlCommand
  }

  private(set) var statements: [Statement] = []
  private let text: [Unicode.Scalar]
  private var position = 0
  /// The semicolons that end statements.
  private var semicolons: [Int] = []

  init(_ sql: String) {
    text = Array(sql.unicodeScalars)
    while let statement = nextStatement() {
      statements.append(statement)
      // What follows are rows, or words for psql.
      if statement.kind == .copyFromInput || statement.kind == .psqlCommand { break }
    }
  }

  /// A statement from its first word to its last.
  func text(of statement: Statement) -> String { string(statement.start..<statement.end) }

  /// The text between the semicolons, comments included, where there is any: what the Supabase command line notes of a
  /// migration.
  var pieces: [String] {
    zip([0] + semicolons.map { $0 + 1 }, semicolons + [text.count]).map { start, end in
      String(string(start..<end).trimming(while: \.isWhitespace))
    }.filter { !$0.isEmpty }
  }

  private func string(_ range: Range<Int>) -> String {
    var string = String.UnicodeScalarView()
    string.append(contentsOf: text[range])
    return String(string)
  }

  /// The line of a place, from 1, its text, and the place's column in it, from 0.
  func line(at place: Int) -> (number: Int, text: String, column: Int) {
    let place = min(max(0, place), text.count)
    let start = text[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = text[place...].firstIndex { $0 == "\n" || $0 == "\r" } ?? text.count
    return (text[..<place].count { $0 == "\n" } + 1, string(start..<max(start, end)), place - start)
  }

  private mutating func nextStatement() -> Statement? {
    var start: Int?
    var end = position
    var words: [String] = []
    var (parentheses, blocks) = (0, 0)
    while position < text.count {
      let scalar = text[position]
      if Self.isWhitespace(scalar) {
        position += 1
        continue
      }
      if scalar == "-" || scalar == "/", skipComment() { continue }
      if scalar == ";", parentheses == 0, blocks == 0 {
        semicolons.append(position)
        position += 1
        guard let start else { continue }
        return Statement(start: start, end: end, kind: Self.kind(of: words))
      }
      if scalar == "\\" { return psqlCommand() }
      start = start ?? position
      defer { end = position }
      switch scalar {
      case "(": parentheses += 1
      case ")": parentheses = max(0, parentheses - 1)
      default: break
      }
      if Self.startsWord(scalar) {
        let range = takeWord()
        // A seed's rows are in parentheses: nobody asks for millions of words.
        if parentheses == 0 {
          let word = string(range).lowercased()
          blocks = Self.blocks(after: word, words, blocks)
          words.append(word)
        }
        let isEscaped = range.count == 1 && (scalar == "e" || scalar == "E")
        if isEscaped, position < text.count, text[position] == "'" { skipQuoted(escapes: true) }
      } else if scalar == "'" || scalar == "\"" {
        skipQuoted(escapes: false)
      } else if scalar == "$" {
        skipDollarQuoted()
      } else if ("0"..."9").contains(scalar) {
        _ = takeWord()
      } else {
        position += 1
      }
    }
    return start.map { Statement(start: $0, end: end, kind: Self.kind(of: words)) }
  }

  /// What the words outside of parentheses make of a statement.
  private static func kind(of words: [String]) -> Kind {
    let rest = Array(words.dropFirst())
    let isPlain = rest.isEmpty || rest == ["work"] || rest == ["transaction"]
    switch words.first {
    case "copy": return zip(words, rest).contains { $0 == "from" && $1 == "stdin" } ? .copyFromInput : .ordinary
    case "begin": return isPlain ? .begin : .transactionControl
    case "start" where rest.first == "transaction": return isPlain ? .begin : .transactionControl
    case "commit", "end": return isPlain ? .commit : .transactionControl
    case "abort": return .transactionControl
    // `ROLLBACK TO` a savepoint goes on with the transaction.
    case "rollback": return rest.contains("to") ? .ordinary : .transactionControl
    case "prepare" where rest.first == "transaction": return .transactionControl
    default: return .ordinary
    }
  }

  /// No statement of SQL has a backslash outside of quotes. The place is that of the backslash, whatever is before it.
  private mutating func psqlCommand() -> Statement {
    let start = position
    position += 1
    _ = takeWord()
    if position == start + 1, position < text.count { position += 1 }
    return Statement(start: start, end: position, kind: .psqlCommand)
  }

  /// How many blocks of a function's SQL-standard body are open behind a word. (Such bodies know `CASE … END`, too.)
  private static func blocks(after word: String, _ words: [String], _ blocks: Int) -> Int {
    switch word {
    case "atomic" where words.last == "begin" && words.first == "create": blocks + 1
    case "case" where blocks > 0: blocks + 1
    case "end" where blocks > 0: blocks - 1
    default: blocks
    }
  }

  private static func startsWord(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || scalar == "_" || scalar.value >= 0x80
  }

  private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
    // The first is quicker.
    scalar.value < 0x80 ? scalar == " " || (9...13).contains(scalar.value) : scalar.properties.isWhitespace
  }

  private mutating func takeWord() -> Range<Int> {
    let start = position
    while position < text.count, case let scalar = text[position],
      Self.startsWord(scalar) || ("0"..."9").contains(scalar) || scalar == "$"
    {
      position += 1
    }
    return start..<position
  }

  private mutating func skipComment() -> Bool {
    if isNext("--") {
      position = text[position...].firstIndex(of: "\n") ?? text.count
      return true
    }
    guard isNext("/*") else { return false }
    var depth = 0
    repeat {
      if isNext("/*") {
        depth += 1
        position += 2
      } else if isNext("*/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0 && position < text.count
    return true
  }

  /// Goes past a quoted text or name. A doubled quote in it begins the next one, which makes no difference here.
  private mutating func skipQuoted(escapes: Bool) {
    let quote = text[position]
    position += 1
    while position < text.count {
      let scalar = text[position]
      position += escapes && scalar == "\\" ? 2 : 1
      if scalar == quote { return }
    }
    position = min(position, text.count)
  }

  /// Goes past `$tag$ … $tag$`, or past a dollar that begins nothing.
  private mutating func skipDollarQuoted() {
    let start = position
    position += 1
    if position < text.count, Self.startsWord(text[position]) {
      while position < text.count, text[position] != "$",
        Self.startsWord(text[position]) || ("0"..."9").contains(text[position])
      {
        position += 1
      }
    }
    guard position < text.count, text[position] == "$" else { return }
    position += 1
    let tag = text[start..<position]
    while position < text.count {
      if text[position] == "$", text[position...].starts(with: tag) {
        position += tag.count
        return
      }
      position += 1
    }
  }

  private func isNext(_ pair: String) -> Bool { text[position...].starts(with: pair.unicodeScalars) }
}

extension StringProtocol {
  /// The text without such characters at both ends.
  func trimming(while condition: (Character) -> Bool) -> SubSequence {
    let rest = drop(while: condition)
    var end = rest.endIndex
    while end > rest.startIndex, condition(rest[rest.index(before: end)]) { end = rest.index(before: end) }
    return self[rest.startIndex..<end]
  }
}
