import FoundationEssentials
import SwiftwaterHTTP
import Testing

@Suite("JSON values")
struct JSONValueTests {
  private func decode(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test(
    "Every kind of value survives reading and writing",
    arguments: [
      "null", "true", "false", "0", "-1", "9223372036854775807", "1.5", "-0.25", #""""#, #""a\"\\\n\u0000ü🌊""#, "[]",
      "{}", #"[1,"a",null,[true],{}]"#, #"{"a":{"b":[{"c":null}]},"é":1}"#,
    ])
  func roundTrip(text: String) throws {
    let value = try decode(text)
    #expect(try decode(value.description) == value)
    #expect(try value.decode(as: JSONValue.self) == value)
  }

  @Test("Numbers keep their kind; what exceeds Int becomes a double; booleans are no numbers")
  func numbers() throws {
    #expect(try decode("1") == .integer(1))
    #expect(try decode("1.25") == .double(1.25))
    #expect(try decode("9223372036854775808") == .double(9_223_372_036_854_775_808))
    #expect(try decode("[true,1,0,false]") == [true, 1, 0, false])
    #expect(try decode("true").intValue == nil)
    #expect(JSONValue.double(3).intValue == 3)
    #expect(JSONValue.double(3.5).intValue == nil)
    #expect(JSONValue.double(1e300).intValue == nil)
    #expect(JSONValue.integer(3).doubleValue == 3)
  }

  @Test("Literals, members and elements read as written")
  func literals() {
    var value: JSONValue = ["status": "open", "tags": ["a", "b"], "limit": 10, "ratio": 0.5, "none": nil, "on": true]
    #expect(value["tags"]?[1]?.stringValue == "b")
    #expect(value["tags"]?[2] == nil)
    #expect(value["missing"] == nil)
    #expect(value["none"]?.isNull == true)
    #expect(value["on"]?.boolValue == true)
    value["limit"] = nil
    value["nested"] = ["deep": 1]
    #expect(value["limit"] == nil)
    #expect(value["nested"]?["deep"]?.intValue == 1)
    #expect(JSONValue.null["x"] == nil)
  }

  @Test("Values convert from and to types")
  func types() throws {
    struct Todo: Codable, Equatable {
      var id: Int
      var title: String?
    }
    let value = try JSONValue([Todo(id: 1, title: "a"), Todo(id: 2)])
    #expect(value == [["id": 1, "title": "a"], ["id": 2]])
    #expect(try value.decode() == [Todo(id: 1, title: "a"), Todo(id: 2)])
    #expect(throws: DecodingError.self) { try value.decode(as: Todo.self) }
  }

  @Test("What is no JSON number is described, not fatal")
  func infinity() {
    #expect(JSONValue.double(.infinity).description == "(not JSON)")
  }
}
