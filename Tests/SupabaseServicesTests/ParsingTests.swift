import SwiftwaterHTTP
import SwiftwaterTokens
import Testing

@testable import SupabaseServices

@Suite("Parsing of request targets")
struct ParsingTests {
  @Test("Query parameters are decoded, in order, with repetitions")
  func parameters() throws {
    let query = try QueryParameters("a=eq.1&a=eq.x%26y+z&b&%63=%C3%A9")
    #expect(
      query.parameters == [
        .init(name: "a", value: "eq.1"), .init(name: "a", value: "eq.x&y z"), .init(name: "b", value: nil),
        .init(name: "c", value: "é"),
      ])
    #expect(query["a"] == "eq.1")
    #expect(query.canonical == "a=eq.1&a=eq.x%26y%20z&b=&c=%C3%A9")
  }

  @Test("Broken percent-encoding is refused", arguments: ["a=%", "a=%4", "a=%zz", "a=%ff", "%00=1", "a=%00"])
  func brokenEncoding(query: String) {
    let error = #expect(throws: RESTError.self) { try QueryParameters(query[...]) }
    #expect(error?.status == 400)
    #expect(error?.code == "PGRST100")
  }

  @Test(
    "Every operator is understood",
    arguments: [
      ("eq.1", false, Filter.Condition.comparison(.equal, nil, "1")),
      ("neq.a.b", false, .setComparison(.notEqual, "a.b")),
      ("gt.", false, .comparison(.greater, nil, "")),
      ("gte.2", false, .comparison(.greaterOrEqual, nil, "2")),
      ("lt.3", false, .comparison(.less, nil, "3")),
      ("lte.4", false, .comparison(.lessOrEqual, nil, "4")),
      ("like(any).{a*,b*}", false, .comparison(.like, .any, "{a*,b*}")),
      ("gt(all).{1,2}", false, .comparison(.greater, .all, "{1,2}")),
      ("not.eq.\"x\"", true, .comparison(.equal, nil, "\"x\"")),
      ("cs.{1}", false, .setComparison(.contains, "{1}")),
      ("adj.(1,2]", false, .setComparison(.isAdjacent, "(1,2]")),
      ("isdistinct.2", false, .isDistinctFrom("2")),
      ("fts.a&b", false, .textSearch(.words, language: nil, "a&b")),
      ("not.wfts(english).a or b", true, .textSearch(.websearch, language: "english", "a or b")),
      ("in.(1,2)", false, .inList(["1", "2"])),
      ("in.()", false, .inList([""])),
      ("eq.\u{301}x", false, .comparison(.equal, nil, "\u{301}x")),
      ("in.(\u{301}x,\u{301}y,\"\u{301},\")", false, .inList(["\u{301}x", "\u{301}y", "\u{301},"])),
      (#"in.("a,b","c\"d",e f)"#, false, .inList(["a,b", "c\"d", "e f"])),
      (#"in.(")"#, false, .inList(["\""])),
      (#"in.(a"b"c)"#, false, .inList([#"a"b"c"#])),
      ("is.null", false, .is(.null)),
      ("is.NOT_NULL", false, .is(.notNull)),
      ("not.is.true", true, .is(.true)),
    ])
  func operators(value: String, isNegated: Bool, condition: Filter.Condition) throws {
    let (embeds, filter) = try Filter.parameter(name: "c", value: value)
    #expect(embeds.isEmpty)
    #expect(filter == Filter(path: FieldPath(name: "c"), isNegated: isNegated, condition: condition))
  }

  @Test(
    "What is no filter is refused with PostgREST's words",
    arguments: [
      ("0", 1, "unexpected \"0\" expecting \"not\" or operator (eq, gt, ...)"),
      ("not.1", 5, "unexpected \"1\" expecting operator (eq, gt, ...)"),
      ("eq().value", 4, "unexpected \")\" expecting operator (eq, gt, ...)"),
      ("is().value", 3, "unexpected \"(\" expecting operator (eq, gt, ...)"),
      ("in().value", 3, "unexpected \"(\" expecting operator (eq, gt, ...)"),
      ("in.1", 4, "unexpected \"1\" expecting \"(\""),
      ("is.maybe", 4, "unexpected \"m\" expecting isVal: (null, not_null, true, false, unknown)"),
    ])
  func badFilters(value: String, column: Int, details: String) {
    let error = #expect(throws: RESTError.self) { try Filter.parameter(name: "c", value: value) }
    #expect(error?.code == "PGRST100")
    #expect(error?.message == "\"failed to parse filter (\(value))\" (line 1, column \(column))")
    #expect(error?.details == .text(details))
  }

  @Test(
    "What is no logic tree is refused with PostgREST's words",
    arguments: [
      (
        "()", 4,
        "unexpected \")\" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)"
      ),
      ("(id.in.1,2,id.eq.3)", 10, "unexpected \"1\" expecting \"(\""),
      (")(", 3, "unexpected \")\" expecting \"(\""),
      ("(id.eq.1,not.xor(id.eq.2,id.eq.3))", 16, "unexpected \"x\" expecting logic operator (and, or)"),
    ])
  func badLogic(value: String, column: Int, details: String) {
    let error = #expect(throws: RESTError.self) { try LogicTree.parameter(name: "or", value: value) }
    #expect(error?.message == "\"failed to parse logic tree (\(value))\" (line 1, column \(column))")
    #expect(error?.details == .text(details))
  }

  @Test(
    "What is no order is refused with PostgREST's words",
    arguments: [
      ("id.ac", 4, "unexpected \"c\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\""),
      ("id.descc", 8, "unexpected 'c' expecting delimiter (.), \",\" or end of input"),
      ("id.nulsfist", 4, "unexpected \"n\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\""),
      ("id.nullslasttt", 13, "unexpected 't' expecting \",\" or end of input"),
      ("id.asc.nlsfst", 8, "unexpected \"l\" expecting \"nullsfirst\" or \"nullslast\""),
      ("id.asc.smth34", 8, "unexpected \"s\" expecting \"nullsfirst\" or \"nullslast\""),
    ])
  func badOrders(value: String, column: Int, details: String) {
    let error = #expect(throws: RESTError.self) { try OrderTerm.parameter(name: "order", value: value) }
    #expect(error?.message == "\"failed to parse order (\(value))\" (line 1, column \(column))")
    #expect(error?.details == .text(details))
  }

  @Test(
    "What is no selection is refused with PostgREST's words",
    arguments: [
      (
        "id,clients(name[])", 16,
        "unexpected '[' expecting letter, digit, \"-\", \"!\", \"(\", \"->>\", \"->\", \"::\", \".\", \")\", \",\" or end of input"
      ),
      ("data->>--34", 9, "unexpected \"-\" expecting digit"),
      ("data->>-78xy", 11, "unexpected 'x' expecting digit, \"->\", \"::\", \".\", \",\" or end of input"),
      (
        "data->(a)", 7, "unexpected \"(\" expecting \"-\", digit or any non reserved character different from: .,>()"
      ),
      ("name::", 7, "unexpected end of input expecting letter or digit"),
    ])
  func badSelections(value: String, column: Int, details: String) {
    let error = #expect(throws: RESTError.self) { try SelectItem.list(value) }
    #expect(error?.message == "\"failed to parse select parameter (\(value))\" (line 1, column \(column))")
    #expect(error?.details == .text(details))
  }

  @Test("A filter's name is a path through embedded relations to a field and into its JSON")
  func filterPaths() throws {
    func path(_ name: String) throws -> ([String], FieldPath) {
      let (embeds, filter) = try Filter.parameter(name: name, value: "eq.1")
      return (embeds, filter.path)
    }
    #expect(try path("a b") == ([], FieldPath(name: "a b")))
    #expect(try path("tasks.users.id") == (["tasks", "users"], FieldPath(name: "id")))
    #expect(try path(#""a.b""#) == ([], FieldPath(name: "a.b")))
    #expect(try path(#""a\"->b""#) == ([], FieldPath(name: #"a"->b"#)))
    #expect(
      try path("data->tags->>0")
        == (
          [],
          FieldPath(
            name: "data",
            steps: [.init(operand: .key("tags"), isText: false), .init(operand: .index("+0"), isText: true)])
        ))
    for bad in [#""a"#, #"""#, ":"] {
      #expect(#expect(throws: RESTError.self) { try path(bad) }?.code == "PGRST100")
    }
  }

  @Test("Logic trees nest, and their operands are quoted or arrays where they hold commas")
  func logic() throws {
    let (embeds, tree) = try LogicTree.parameter(
      name: "tasks.not.or", value: #"(id.eq.1, and( name.not.in.("a,b",c) ,arr.cs.{1,2}),n.eq."x,y")"#)
    #expect(embeds == ["tasks"])
    func filter(_ name: String, _ condition: Filter.Condition, isNegated: Bool = false) -> LogicTree {
      .filter(Filter(path: FieldPath(name: name), isNegated: isNegated, condition: condition))
    }
    #expect(
      tree
        == .junction(
          .or, isNegated: true,
          [
            filter("id", .comparison(.equal, nil, "1")),
            .junction(
              .and, isNegated: false,
              [
                filter("name", .inList(["a,b", "c"]), isNegated: true),
                filter("arr", .setComparison(.contains, "{1,2}")),
              ]),
            filter("n", .comparison(.equal, nil, "x,y")),
          ]))
  }

  private func field(
    _ name: String, alias: String? = nil, cast: String? = nil, aggregate: SelectItem.Aggregate? = nil,
    aggregateCast: String? = nil
  ) -> SelectItem {
    .field(
      .init(
        path: FieldPath(name: name), alias: alias, cast: cast, aggregate: aggregate, aggregateCast: aggregateCast))
  }

  @Test("Selections have names, aliases, casts and sums")
  func selection() throws {
    #expect(try SelectItem.list("*") == [field("*")])
    #expect(try SelectItem.list("") == [])
    #expect(
      try SelectItem.list("id, label:name,price::text,\"a,b\",total:price::int.sum()::text,count(),n:count()") == [
        field("id"), field("name", alias: "label"), field("price", cast: "text"), field("a,b"),
        field("price", alias: "total", cast: "int", aggregate: .sum, aggregateCast: "text"),
        field("*", aggregate: .count), field("*", alias: "n", aggregate: .count),
      ])
  }

  @Test("Selections embed relations, with hints and joins, and spread them")
  func embedding() throws {
    #expect(
      try SelectItem.list("*,owner:users!fk!inner(id,tasks()),...client!left(name)") == [
        field("*"),
        .embed(
          .init(
            target: "users", alias: "owner", hint: "fk", join: .inner,
            items: [field("id"), .embed(.init(target: "tasks"))])),
        .embed(.init(target: "client", join: .left, isSpread: true, items: [field("name")])),
      ])
  }

  @Test("A cast cannot carry SQL", arguments: ["id::text;drop table x", "id::", "id::'x'", "id::a--", "id:"])
  func hostileCasts(value: String) {
    #expect(throws: RESTError.self) { try SelectItem.list(value) }
  }

  @Test("Orders have directions and places for NULL, and may be by a field of an embedded relation")
  func order() throws {
    let (embeds, terms) = try OrderTerm.parameter(
      name: "tasks.order", value: "a,b.desc,c.asc.nullsfirst,d.nullslast,clients(name).desc")
    #expect(embeds == ["tasks"])
    #expect(
      terms == [
        OrderTerm(path: FieldPath(name: "a")), OrderTerm(path: FieldPath(name: "b"), direction: .descending),
        OrderTerm(path: FieldPath(name: "c"), direction: .ascending, nulls: .first),
        OrderTerm(path: FieldPath(name: "d"), nulls: .last),
        OrderTerm(embed: "clients", path: FieldPath(name: "name"), direction: .descending),
      ])
    for bad in ["a.up", "a.desc.asc", "a.nullslast.desc", ",a", "a,", "a.desc."] {
      #expect(throws: RESTError.self) { try OrderTerm.parameter(name: "order", value: bad) }
    }
  }

  private func request(
    _ method: HTTPRequest.Method = .get, _ target: String, _ fields: HTTPFields = [:]
  ) throws -> RESTRequest {
    let head = HTTPRequest(method: method, scheme: "http", authority: "a", path: target, headerFields: fields)
    return try RESTRequest(head, target: target, .init(tokens: JWTSettings(keys: nil)))
  }

  @Test("Beside a function's body a parameter can only be a filter; without a body it may be an argument")
  func functionParameters() throws {
    let error = #expect(throws: RESTError.self) { try request(.post, "/rpc/f?name=x") }
    #expect(error?.code == "PGRST100" && error?.status == 400)
    #expect(try request(.post, "/rpc/f?name=eq.x").filters.count == 1)
    #expect(try request(.get, "/rpc/f?name=x").arguments.map(\.name) == ["name"])
  }

  private func range(_ query: String, header: String? = nil) throws -> RowRange {
    try request(.get, "/t?\(query)", header.map { [.range: $0] } ?? [:]).range
  }

  @Test("Limit, offset and Range narrow each other")
  func ranges() throws {
    #expect(try range("") == .all)
    #expect(try range("limit=5&offset=10") == RowRange(offset: 10, limit: 5))
    #expect(try range("", header: "items=10-19") == RowRange(offset: 10, limit: 10))
    #expect(try range("", header: "10-") == RowRange(offset: 10))
    #expect(try range("limit=100&offset=5", header: "0-9") == RowRange(offset: 5, limit: 5))
    #expect(try range("", header: "bytes") == .all)
    #expect(try range("", header: "0-9223372036854775807").limit == nil)
    #expect(try range("limit=ten&offset=-4") == .all)
    #expect(
      try request(.get, "/t?select=*,a(*)&a.limit=2&a.offset=1").ranges.first?.value == RowRange(offset: 1, limit: 2))
  }

  @Test("Impossible ranges are 416")
  func badRanges() {
    #expect(#expect(throws: RESTError.self) { try range("limit=-1") }?.code == "PGRST103")
    #expect(#expect(throws: RESTError.self) { try range("", header: "9-1") }?.status == 416)
    #expect(#expect(throws: RESTError.self) { try range("limit=5", header: "10-19") }?.status == 416)
  }

  @Test("A call's arguments are told from the filters of its rows")
  func arguments() throws {
    let call = try request(.get, "/rpc/f?id=5&id=gt.2&name=is&text=fts(english).x&or=(a.eq.1)")
    #expect(call.arguments.map(\.name) == ["id", "name"])
    #expect(call.filters.map(\.value.path.name) == ["id", "text"])
    #expect(call.logic.count == 1)
  }

  @Test("An accent that an operand begins with changes nothing about what is a filter")
  func accents() {
    for value in ["eq.\u{301}x", "not.\u{301}", "fts.\u{301}", "eq(\u{301}", "in.\u{301}"] {
      #expect(Filter.isFilter(value))
    }
    #expect(!Filter.isFilter("e\u{301}q.x") && !Filter.isFilter("eq\u{301}.x"))
  }

  @Test("Of several wishes the first counts, and unknown ones are noted")
  func preferences() {
    let preferences = Preferences([
      .prefer: "return=representation, count=exact,x=y", .prefer: "return=minimal", .prefer: "count=perhaps",
      .prefer: "handling=strict,max-affected=3, tx=rollback, timezone=Asia/Tokyo",
    ])
    #expect(preferences.returning == .representation)
    #expect(preferences.count == .exact)
    #expect(preferences.unknown == ["x=y", "count=perhaps"])
    #expect(
      preferences.applied
        == "return=representation, count=exact, tx=rollback, handling=strict, timezone=Asia/Tokyo, max-affected=3")
    #expect(Preferences([.prefer: "nonsense"]).applied == nil)
  }

  private func payload(_ body: String, columns: String? = nil) throws -> Payload {
    let query = columns.map { "?columns=\($0)" } ?? ""
    return try Payload(Array(body.utf8), of: try request(.post, "/t\(query)"))
  }

  @Test("Payloads name their columns; ragged or broken ones are refused")
  func payloads() throws {
    #expect(try payload(#"{"b":1,"a":[{"x":2}]}"#).keys == ["a", "b"])
    #expect(try payload(#" [{"a":1},{"a":null}] "#).keys == ["a"])
    #expect(try payload(#"{"\u0061\n\ud83d\ude00":1}"#).keys == ["a\n😀"])
    #expect(try payload("[]", columns: "b,a,b").keys == ["a", "b"])
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    #expect(try payload(#"{"a":\#(deep)}"#).keys == ["a"])
    for bad in [
      "", "{", #"["a"]"#, "[1]", #"[{"a":1},{"b":1}]"#, "{\"a\":\"\u{FFFF}\"", "[{}]]", "{'a':1}", #"{"a":01}"#,
      #"{"a":1,}"#, #"{"a":"\x"}"#, "{\"a\":\"\n\"}", #"{"a":.5}"#, "[{},]", "nul", #"{"a" 1}"#, #"{"a":[1}}"#,
    ] {
      #expect(#expect(throws: RESTError.self) { try payload(bad) }?.code == "PGRST102", "\(bad)")
    }
    #expect(throws: RESTError.self) { try Payload([0xFF], of: try request(.post, "/t")) }
  }

  @Test("CSV becomes rows of texts")
  func csv() throws {
    #expect(try CSVTable("a,b\r\n\"x,\"\"y\",NULL\n").json() == #"[{"a":"x,\"y","b":null}]"#)
    #expect(throws: CSVTable.Malformed.self) { try CSVTable("a,b\n1\n").json() }
    #expect(throws: CSVTable.Malformed.self) { try CSVTable("a\n\"x") }
  }

  @Test("Accept is read by quality, with the options of plans")
  func accept() {
    #expect(
      MediaType.accepted("text/html, application/json;q=0.5, */*;q=0.1, text/csv;q=0")
        == [.other("text/html"), .json, .any])
    #expect(
      MediaType.accepted(#"application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|wal|x;"#)
        == [.plan(.init(isJSON: true, options: [.analyze, .wal]), of: .other("text/csv"))])
    #expect(MediaType("application/vnd.pgrst.object+json;nulls=stripped") == .object(stripsNulls: true))
    #expect(MediaType.accepted(nil) == [.any])
  }

  @Test("Names that differ by a letter are close, and others are not suggested")
  func suggestions() {
    #expect("kitten".editDistance(to: "sitting") == 3)
    #expect("".editDistance(to: "abc") == 3)
    let names = ["projects", "clients", "tasks"]
    #expect(Suggestion.best("projecxx", among: names, minimumScore: Suggestion.nameScore) == "projects")
    #expect(Suggestion.best("foozle", among: names, minimumScore: Suggestion.nameScore) == nil)
  }
}
