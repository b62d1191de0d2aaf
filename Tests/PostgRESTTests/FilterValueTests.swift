import Foundation
import PostgREST
import PostgresTestSupport
import SwiftwaterPostgres
import Testing

@Suite("Values of filters")
struct FilterValueTests {
  private enum Status: String, PostgrestFilterValue { case open, shut }
  private enum Level: Int, PostgrestFilterValue { case low = 1, high }
  private struct Wrapped: RawRepresentable, PostgrestFilterValue { var rawValue: Int64 }
  private struct Own: PostgrestFilterValue { var rawValue: String { "own" } }

  private static let id = UUID(uuid: (0x8F, 0x1B, 0x3C, 0x9A, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 15))

  private struct Value: Sendable, CustomTestStringConvertible {
    var text: String
    var value: any PostgrestFilterValue & Sendable
    init(_ value: any PostgrestFilterValue & Sendable, _ text: String) { (self.value, self.text) = (value, text) }
    var testDescription: String { text }
  }

  private static let values: [Value] = [
    Value("x", "x"), Value("xyz".dropFirst(), "yz"), Value(true, "true"), Value(false, "false"),
    Value(7, "7"), Value(Int8(-7), "-7"), Value(Int16(7), "7"), Value(Int32(7), "7"), Value(Int64.min, "\(Int64.min)"),
    Value(UInt(7), "7"), Value(UInt8(7), "7"), Value(UInt16(7), "7"), Value(UInt32(7), "7"),
    Value(UInt64.max, "18446744073709551615"),
    Value(0.1, "0.1"), Value(-Double.infinity, "-Infinity"), Value(Double.infinity, "Infinity"),
    Value(Double.nan, "NaN"), Value(1e300, "1e+300"), Value(Float(0.1), "0.1"), Value(Float.nan, "NaN"),
    Value(Decimal(string: "12345678901234567890.123456789") ?? 0, "12345678901234567890.123456789"),
    Value(Date(timeIntervalSince1970: 0.123456), "1970-01-01T00:00:00.123456Z"),
    Value(id, "8f1b3c9a-0000-4000-8000-00000000000f"),
    Value(Data([0, 15, 255]), #"\x000fff"#), Value(Data(), #"\x"#),
    Value(Status.open, "open"), Value(Level.high, "2"), Value(Wrapped(rawValue: 5), "5"), Value(Own(), "own"),
    Value([Int](), "{}"), Value([1, 2], "{1,2}"), Value([[1, 2], [3]], "{{1,2},{3}}"),
    Value(
      ["a", "a b", "a,b", "{", "}", #"q""#, #"\"#, "", "null", "NULL", "nullable", "x'y"],
      #"{a,"a b","a,b","{","}","q\"","\\","","null","NULL",nullable,x'y}"#),
    Value([Data([1])], #"{"\\x01"}"#), Value([id], "{8f1b3c9a-0000-4000-8000-00000000000f}"),
    Value([JSONValue.object(["a": 1])], #"{"{\"a\":1}"}"#),
    Value([Status.open, .shut], "{open,shut}"), Value([0.5, .infinity], "{0.5,Infinity}"),
    Value(1..<5, "[1,5)"), Value(1...5, "[1,5]"), Value(1..., "[1,)"), Value(..<5, "(,5)"), Value(...5, "(,5]"),
    Value("a,b"..<"c", #"["a,b",c)"#), Value(0.5...1.5, "[0.5,1.5]"),
    Value(
      Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 1),
      "[1970-01-01T00:00:00Z,1970-01-01T00:00:01Z)"),
    Value([1..<5], #"{"[1,5)"}"#),
    Value(["b": 1, "a": [true, nil]] as JSONObject, #"{"a":[true,null],"b":1}"#),
    Value(JSONValue.string("x"), #""x""#), Value(JSONValue.array(["a"]), #"["a"]"#), Value(JSONValue.null, "null"),
  ]

  @Test("Each is written as PostgreSQL reads it", arguments: values)
  private func text(value: Value) {
    #expect(value.value.rawValue == value.text)
  }

  @Test("A raw value keeps its type beside the text")
  func rawValues() {
    #expect(Level.high.rawValue + 1 == 3)
    #expect(Wrapped(rawValue: 5).rawValue + 1 == 6)
    #expect(Level(rawValue: 1) == .low)
    #expect(Status.shut.rawValue == "shut")
  }

  @Test("A marker with an accent behind it is quoted like any other")
  func combiningMarks() {
    #expect(["\"\u{301}", "\\\u{301}", ",\u{301}"].rawValue == "{\"\\\"\u{301}\",\"\\\\\u{301}\",\",\u{301}\"}")
  }

  /// Everything that means something in a literal, alone and in pairs.
  private static let hostile: [String] = {
    let parts = [
      "", ",", "\"", "\\", "{", "}", "(", ")", "[", "]", " ", "\t", "\n", "'", "null", "NULL", "\u{301}", "\u{1F6F6}",
      "a",
    ]
    return parts.flatMap { first in parts.map { first + $0 } }
  }()

  @Test("PostgreSQL reads arrays and ranges back as the texts that went in")
  func literals() async throws {
    try await SharedCluster.withPool { pool in
      try await pool.executeScript("create type textrange as range (subtype = text, collation = \"C\")")
      let array = try await pool.query("select to_json((\(Self.hostile.rawValue))::text[])::text")
      let read = try JSONDecoder().decode([String].self, from: Data((array.string(row: 0, column: 0) ?? "").utf8))
      #expect(read.map { Array($0.utf8) } == Self.hostile.map { Array($0.utf8) })
      let nested = try await pool.query("select to_json((\([Self.hostile, Self.hostile].rawValue))::text[][])::text")
      let deep = try JSONDecoder().decode([[String]].self, from: Data((nested.string(row: 0, column: 0) ?? "").utf8))
      #expect(deep == [Self.hostile, Self.hostile])
      for bound in Self.hostile {
        let range = try await pool.query("select lower((\((bound...).rawValue))::textrange)")
        #expect(range.string(row: 0, column: 0).map { Array($0.utf8) } == Array(bound.utf8))
      }
    }
  }
}
