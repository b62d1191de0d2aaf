/// A text of several SQL statements, taken apart where PostgreSQL would: to say where one of them stands.
///
/// Semicolons end a statement but in quotes, dollar quotes, comments, parentheses and the bodies of SQL-standard
/// functions (`BEGIN ATOMIC … END`). Places are counted in code points, as PostgreSQL counts.
struct SQLScript {
  struct Statement: Equatable {
    /// Where its first word begins.
    var start: Int
    /// It is a `COPY … FROM STDIN`, whose rows would follow it.
    var copiesFromInput = false
  }

  private(set) var statements: [Statement] = []
  private let text: [Unicode.Scalar]
  private var position = 0

  init(_ sql: String) {
    text = Array(sql.unicodeScalars)
    while let statement = nextStatement() {
      statements.append(statement)
      // What follows are rows.
      if statement.copiesFromInput { break }
    }
  }

  /// The line of a place, from 1, its text, and the place's column in it, from 0.
  func line(at place: Int) -> (number: Int, text: String, column: Int) {
    let place = min(max(0, place), text.count)
    let start = text[..<place].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = text[place...].firstIndex { $0 == "\n" || $0 == "\r" } ?? text.count
    var line = String.UnicodeScalarView()
    line.append(contentsOf: text[start..<max(start, end)])
    return (text[..<place].count { $0 == "\n" } + 1, String(line), place - start)
  }

  private mutating func nextStatement() -> Statement? {
    var start: Int?
    var words: [String] = []
    var (parentheses, blocks) = (0, 0)
    while position < text.count {
      let scalar = text[position]
      if scalar.properties.isWhitespace || skipComment() {
        if scalar.properties.isWhitespace { position += 1 }
        continue
      }
      if scalar == ";", parentheses == 0, blocks == 0 {
        position += 1
        guard let start else { continue }
        return Self.statement(start, words)
      }
      start = start ?? position
      switch scalar {
      case "(": parentheses += 1
      case ")": parentheses = max(0, parentheses - 1)
      default: break
      }
      if Self.startsWord(scalar) {
        let word = takeWord()
        if parentheses == 0 {
          blocks = Self.blocks(after: word, words, blocks)
          words.append(word)
        }
        if word == "e", position < text.count, text[position] == "'" { skipQuoted(escapes: true) }
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
    return start.map { Self.statement($0, words) }
  }

  private static func statement(_ start: Int, _ words: [String]) -> Statement {
    let copies = words.first == "copy" && zip(words, words.dropFirst()).contains { $0 == "from" && $1 == "stdin" }
    return Statement(start: start, copiesFromInput: copies)
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

  private mutating func takeWord() -> String {
    var word = String.UnicodeScalarView()
    while position < text.count, case let scalar = text[position],
      Self.startsWord(scalar) || ("0"..."9").contains(scalar) || scalar == "$"
    {
      word.append(scalar)
      position += 1
    }
    return String(word).lowercased()
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
