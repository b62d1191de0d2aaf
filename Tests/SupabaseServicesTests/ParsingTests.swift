import SwiftwaterHTTP
import Testing

@testable import SupabaseServices

@Suite("Parsing of request targets")
struct ParsingTests {
  @Test("Query parameters are decoded, in order, with repetitions")
  func parameters() throws {
    let query = try QueryParameters("a=eq.1&a=eq.x%26y+z&b&%63=%C3%A9")
    #expect(
      query.parameters == [
        .init(name: "a", value: "eq.1"), .init(name: "a", value: "eq.x&y z"), .init(name: "b", value: ""),
        .init(name: "c", value: "é"),
      ])
    #expect(query["a"] == "eq.1")
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
      ("eq.1", false, Filter.Condition.comparison(.equal, "1")),
      ("neq.a.b", false, .comparison(.notEqual, "a.b")),
      ("gt.", false, .comparison(.greater, "")),
      ("gte.2", false, .comparison(.greaterOrEqual, "2")),
      ("lt.3", false, .comparison(.less, "3")),
      ("lte.4", false, .comparison(.lessOrEqual, "4")),
      ("not.eq.\"x\"", true, .comparison(.equal, "\"x\"")),
      ("in.(1,2)", false, .inList(["1", "2"])),
      ("in.()", false, .inList([])),
      ("eq.\u{301}x", false, .comparison(.equal, "\u{301}x")),
      ("in.(\u{301}x,\u{301}y,\"\u{301},\")", false, .inList(["\u{301}x", "\u{301}y", "\u{301},"])),
      (#"in.("a,b","c\"d",e f)"#, false, .inList(["a,b", "c\"d", "e f"])),
      ("is.null", false, .is(.null)),
      ("is.NOT_NULL", false, .is(.notNull)),
      ("not.is.true", true, .is(.true)),
    ])
  func operators(value: String, isNegated: Bool, condition: Filter.Condition) throws {
    let filter = try Filter(column: "c", value: value)
    #expect(filter == Filter(column: "c", isNegated: isNegated, condition: condition))
  }

  @Test(
    "What is no filter is refused with its place",
    arguments: [("eqq.1", 1), ("1", 1), ("not.1", 5), ("in.1", 4), ("in.(1", 6), ("in.(1)x", 7), ("is.maybe", 4)])
  func badFilters(value: String, column: Int) {
    let error = #expect(throws: RESTError.self) { try Filter(column: "c", value: value) }
    #expect(error?.message == "\"failed to parse filter (\(value))\" (line 1, column \(column))")
  }

  @Test("A filter's column stands as it is or in double quotes")
  func filterColumns() throws {
    for (name, column) in [
      ("a b", "a b"), ("a.b", "a.b"), (#""a.b""#, "a.b"), (#""a\"->b""#, #"a"->b"#), (#"a"b"#, #"a"b"#),
    ] {
      #expect(try Filter(column: name, value: "eq.1").column == column)
    }
    for bad in [#""a"#, #""a"b"#, #"""#] {
      #expect(#expect(throws: RESTError.self) { try Filter(column: bad, value: "eq.1") }?.code == "PGRST100")
    }
    for path in ["a->b", "a->>b", #""a"->b"#] {
      #expect(#expect(throws: RESTError.self) { try Filter(column: path, value: "eq.1") }?.status == 501)
    }
  }

  @Test("Selections have names, aliases and casts")
  func selection() throws {
    #expect(try SelectItem.list("*") == [.all])
    #expect(try SelectItem.list("") == [])
    #expect(
      try SelectItem.list("id,label:name,price::text,total:sum::numeric,\"a,b\",x::int[]") == [
        .column(name: "id", alias: nil, cast: nil), .column(name: "name", alias: "label", cast: nil),
        .column(name: "price", alias: nil, cast: "text"), .column(name: "sum", alias: "total", cast: "numeric"),
        .column(name: "a,b", alias: nil, cast: nil), .column(name: "x", alias: nil, cast: "int[]"),
      ])
  }

  @Test("A cast cannot carry SQL", arguments: ["id::text);drop table x", "id::", "id::'x'", "id::a--", "id:"])
  func hostileCasts(value: String) {
    #expect(throws: RESTError.self) { try SelectItem.list(value) }
  }

  @Test("Orders have directions and places for NULL")
  func order() throws {
    #expect(
      try OrderTerm.list("a,b.desc,c.asc.nullsfirst,d.nullslast") == [
        OrderTerm(column: "a"), OrderTerm(column: "b", direction: .descending),
        OrderTerm(column: "c", direction: .ascending, nulls: .first), OrderTerm(column: "d", nulls: .last),
      ])
    for bad in ["a.up", "a.desc.asc", "a.nullslast.desc", ",a", "a,", "a.desc."] {
      #expect(throws: RESTError.self) { try OrderTerm.list(bad) }
    }
  }

  private func range(_ query: String, header: String? = nil) throws -> RowRange {
    try RowRange(parameters: try QueryParameters(query[...]), rangeHeader: header)
  }

  @Test("Limit, offset and Range narrow each other")
  func ranges() throws {
    #expect(try range("") == .all)
    let both = try range("limit=5&offset=10")
    #expect((both.offset, both.limit) == (10, 5))
    let header = try range("", header: "items=10-19")
    #expect((header.offset, header.limit) == (10, 10))
    let open = try range("", header: "10-")
    #expect((open.offset, open.limit) == (10, nil))
    let narrowed = try range("limit=100&offset=5", header: "0-9")
    #expect((narrowed.offset, narrowed.limit) == (5, 5))
    let disjoint = try range("limit=5", header: "10-19")
    #expect(disjoint.limit == 0)
    #expect(try range("", header: "bytes") == .all)
    #expect(try range("", header: "0-9223372036854775807").limit == nil)
  }

  @Test("Impossible ranges are 416, nonsense is 400")
  func badRanges() {
    for query in ["limit=-1", "offset=-1"] {
      #expect(#expect(throws: RESTError.self) { try range(query) }?.code == "PGRST103")
    }
    #expect(#expect(throws: RESTError.self) { try range("", header: "9-1") }?.status == 416)
    #expect(#expect(throws: RESTError.self) { try range("limit=ten") }?.code == "PGRST100")
  }

  @Test("Of several wishes the first counts, unknown ones are ignored")
  func preferences() throws {
    let preferences = try Preferences([
      .prefer: "return=representation, count=exact,x=y", .prefer: "return=minimal", .prefer: "count=perhaps",
    ])
    #expect(preferences.returning == .representation)
    #expect(preferences.count == .exact)
    #expect(preferences.applied(isMutation: true) == "return=representation, count=exact")
    #expect(preferences.applied(isMutation: false) == "count=exact")
    #expect(try Preferences([.prefer: "handling=lenient"]).applied(isMutation: true) == nil)
  }

  @Test("Payloads name their columns; ragged or broken ones are refused")
  func payloads() throws {
    let one = try Payload(Array(#"{"b":1,"a":[{"x":2}]}"#.utf8))
    #expect(one.keys == ["a", "b"])
    #expect(one.rowCount == 1)
    let many = try Payload(Array(#"[{"a":1},{"a":null}]"#.utf8))
    #expect(many.rowCount == 2)
    #expect(try Payload(Array("[]".utf8)).rowCount == 0)
    #expect(try Payload(Array("[]".utf8), columns: ["b", "a", "b"]).keys == ["a", "b"])
    for bad in ["", "{", "1", "null", #"["a"]"#, "[1]", #"[{"a":1},{"b":1}]"#, "{\"a\":\"\u{FFFF}\"", "[{}]]"] {
      #expect(#expect(throws: RESTError.self) { try Payload(Array(bad.utf8)) }?.code == "PGRST102", "\(bad)")
    }
    #expect(throws: RESTError.self) { try Payload([0xFF]) }
  }

  @Test("Names that differ by a letter are close")
  func editDistance() {
    #expect("todo".editDistance(to: "todos") == 1)
    #expect("todos".editDistance(to: "todos") == 0)
    #expect("".editDistance(to: "abc") == 3)
    #expect("kitten".editDistance(to: "sitting") == 3)
  }
}
