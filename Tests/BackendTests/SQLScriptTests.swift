import Testing

@testable import SwiftwaterBackend

@Suite("Taking a script apart")
struct SQLScriptTests {
  /// The first word of each statement.
  private func beginnings(_ sql: String) -> [String] {
    let scalars = Array(sql.unicodeScalars)
    return SQLScript(sql).statements.map { statement in
      var word = String.UnicodeScalarView()
      word.append(contentsOf: scalars[statement.start...].prefix { $0 != " " && $0 != ";" })
      return String(word)
    }
  }

  @Test(
    "Semicolons end statements where PostgreSQL thinks so",
    arguments: [
      ("a; b;c", ["a", "b", "c"]), (" ;; a ;", ["a"]), ("", []), ("-- a;\n", []), ("/* a; /* b; */ ; */ c", ["c"]),
      ("a 'x;''y;' ; b", ["a", "b"]), (#"a "x;""y;" ; b"#, ["a", "b"]), (#"a '\'; b"#, ["a", "b"]),
      (#"a E'\';x'; b"#, ["a", "b"]), (#"a e'\\'; b"#, ["a", "b"]), ("a $$;$x$;$$; b", ["a", "b"]),
      ("a $x$;$$;$x$; b", ["a", "b"]), ("a $1; b", ["a", "b"]), ("a x$y;b", ["a", "b"]), ("a (b; c); d", ["a", "d"]),
      ("é 'ü'; ß", ["é", "ß"]), ("a 'open; b", ["a"]), ("a $$open; b", ["a"]), ("/* open; a", []),
      ("a 1e5; b", ["a", "b"]),
      ("create function f() begin atomic; select case when a then b end; select 2; end; b", ["create", "b"]),
      ("begin; a; end; b", ["begin", "a", "end", "b"]), ("a -- ;\n; b", ["a", "b"]),
      ("create table t (begin int, atomic int); b", ["create", "b"]),
    ])
  func statements(sql: String, words: [String]) {
    #expect(beginnings(sql) == words)
  }

  @Test("What COPY reads from a client ends the script")
  func copy() {
    let script = SQLScript("copy t (a) from stdin with csv;\n1;2\n")
    #expect(script.statements == [.init(start: 0, copiesFromInput: true)])
    #expect(SQLScript("copy t from '/stdin'; b").statements.map(\.copiesFromInput) == [false, false])
    #expect(SQLScript("copy (select a from stdin) to '/x'; b").statements.map(\.copiesFromInput) == [false, false])
  }

  @Test("A place has a line, counted in code points")
  func lines() {
    let script = SQLScript("é\r\n\te\u{301}x\n")
    #expect(script.line(at: 0) == (1, "é", 0))
    #expect(script.line(at: 6) == (2, "\te\u{301}x", 3))
    #expect(script.line(at: 8) == (3, "", 0))
    #expect(script.line(at: 99) == (3, "", 0))
  }

  @Test("No text is too odd to be read to its end")
  func garbage() {
    let pieces = [
      "'", "\"", "$", "$a$", ";", "(", ")", "--", "/*", "*/", "\n", "E'", "\\", "begin atomic", "é", "1", " ",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let sql = (0..<Int.random(in: 0..<12, using: &random)).compactMap { _ in pieces.randomElement(using: &random) }
        .joined()
      let starts = SQLScript(sql).statements.map(\.start)
      #expect(starts == starts.sorted(), "\(sql)")
      #expect(starts.allSatisfy { $0 < sql.unicodeScalars.count }, "\(sql)")
    }
  }
}
