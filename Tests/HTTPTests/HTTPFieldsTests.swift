import SwiftwaterHTTP
import Testing

@Suite("HTTP fields")
struct HTTPFieldsTests {
  @Test("Names compare without case and keep their spelling")
  func names() throws {
    let name = try #require(HTTPField.Name("content-TYPE"))
    #expect(name == .contentType)
    #expect(name.hashValue == HTTPField.Name.contentType.hashValue)
    #expect(name.rawName == "content-TYPE")
  }

  @Test("What is no token is no name", arguments: ["", "a b", "a:b", "ä", "a\r\n", "\u{0}"])
  func badNames(name: String) {
    #expect(HTTPField.Name(name) == nil)
  }

  @Test("Several values of one name keep their order; setting one replaces all in place")
  func values() {
    var fields: HTTPFields = [.accept: "a", .host: "h", .accept: "b"]
    #expect(fields[.accept] == "a")
    #expect(fields[values: .accept] == ["a", "b"])
    fields[.accept] = "c"
    #expect(fields.map(\.value) == ["c", "h"])
    fields[.accept] = nil
    #expect(!fields.contains(.accept))
    #expect(fields.count == 1)
  }

  @Test("Values with line breaks or NUL are not valid", arguments: ["a\r\nb", "a\nb", "\u{0}"])
  func badValues(value: String) {
    #expect(!HTTPField.isValidValue(value))
  }
}
