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
    #expect(script.statements == [.init(start: 0, end: 30, kind: .copyFromInput)])
    #expect(SQLScript("copy t from '/stdin'; b").statements.map(\.kind) == [.ordinary, .ordinary])
    #expect(SQLScript("copy (select a from stdin) to '/x'; b").statements.map(\.kind) == [.ordinary, .ordinary])
  }

  @Test(
    "Statements that begin or end a transaction are known as such",
    arguments: [
      ("begin", .begin), ("BEGIN TRANSACTION", .begin), ("begin /* ; */ work", .begin), ("Start Transaction", .begin),
      ("begin isolation level serializable", .transactionControl), ("begin read only", .transactionControl),
      ("commit", .commit), ("commit work", .commit), ("END", .commit), ("end transaction", .commit),
      ("commit and chain", .transactionControl), ("commit prepared 'x'", .transactionControl),
      ("start transaction read only", .transactionControl), ("rollback", .transactionControl),
      ("rollback and chain", .transactionControl), ("abort", .transactionControl),
      ("prepare transaction 'x'", .transactionControl), ("rollback to savepoint s", .ordinary),
      ("rollback work to s", .ordinary), ("savepoint s", .ordinary), ("release s", .ordinary),
      ("prepare p as select 1", .ordinary), ("start_it()", .ordinary), ("select 1 as begin", .ordinary),
      ("create function f() returns int begin atomic; select 1; end", .ordinary),
      ("do $$ begin commit; end $$", .ordinary), ("\"commit\"", .ordinary), ("set transaction read only", .ordinary),
    ] as [(String, SQLScript.Kind)])
  func transactionControl(sql: String, kind: SQLScript.Kind) {
    #expect(SQLScript(sql).statements.map(\.kind) == [kind])
    #expect(SQLScript("a; -- commit\n\(sql) ; b").statements.map(\.kind) == [.ordinary, kind, .ordinary])
  }

  @Test("A command of psql's ends the script where it stands")
  func psqlCommands() {
    for (sql, command) in [
      (#"a; \echo don't; b"#, #"\echo"#), (#"select 1 \gset x_"#, #"\gset"#), (#"\! ls"#, #"\!"#), (#"a;\"#, #"\"#),
      (#"(a \d"#, #"\d"#),
    ] {
      let script = SQLScript(sql)
      #expect(script.statements.last?.kind == .psqlCommand)
      #expect(script.statements.last.map(script.text) == command)
    }
    #expect(SQLScript(#"select '\a', e'\'\b', "\c", $$\d$$ -- \e"#).statements.map(\.kind) == [.ordinary])
  }

  @Test("A statement's text is all of it, and the pieces between the semicolons have the comments too")
  func texts() {
    let script = SQLScript("-- é\na (1) /* x */ ; ;\n/* ; */ b 'ü' -- ;\n; \n-- end\n")
    #expect(script.statements.map(script.text) == ["a (1)", "b 'ü'"])
    #expect(script.pieces == ["-- é\na (1) /* x */", "/* ; */ b 'ü' -- ;", "-- end"])
    #expect(SQLScript(" ;; ").pieces.isEmpty)
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
      let script = SQLScript(sql)
      #expect(script.statements.allSatisfy { $0.start < $0.end && $0.end <= sql.unicodeScalars.count }, "\(sql)")
      _ = script.pieces
      let starts = script.statements.map(\.start)
      #expect(starts == starts.sorted(), "\(sql)")
      #expect(starts.allSatisfy { $0 < sql.unicodeScalars.count }, "\(sql)")
    }
  }
}
