import FoundationEssentials
import SwiftwaterHTTP
import Testing

@Suite("Reading JSON")
struct JSONParsingTests {
  private static let samples = [
    // Names so different that no change makes them the same.
    #"{"sub":"é🌊","expiration":1764547200,"audiences":["a","b"],"app-metadata-of":{"x":null,"yyyyyy":[true,false,-1.5e3]}}"#,
    #"["\u00e9\ud83c\udf0a\n\t\"\\\/\b\f\r",0,-0,0.0,1.0,1e2,-1E-2,123456789012345678901234567890]"#,
    "[9223372036854775807,-9223372036854775808,9223372036854775808,-9223372036854775809,1e308,5e-324]",
    " \t\r\n{ \"a\" : [ ] , \"bcdefg\" : { } } ", "\"\"", "[[[[[[1]]]]]]", #"{"a":1,"bcdefg":"\u0000"}"#,
  ]

  private func decoded(_ bytes: [UInt8]) -> JSONValue? {
    try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  @Test("A text is read as a JSONDecoder reads it", arguments: samples)
  func sample(text: String) throws {
    #expect(try JSONValue(parsing: text) == decoded(Array(text.utf8)))
    #expect(try JSONValue(parsing: Array(text.utf8)[...].lazy.map { $0 }) == decoded(Array(text.utf8)))
  }

  @Test("Of two members with one name the last one counts")
  func repeated() throws {
    #expect(try JSONValue(parsing: #"{"a":1,"b":2,"\u0061":3}"#) == ["a": 3, "b": 2])
  }

  @Test(
    "What is no JSON is refused, with its place",
    arguments: [
      ("", 0), ("nul", 3), ("[1,]", 3), ("{\"a\" 1}", 5), ("{1:2}", 1), ("01", 2), ("-", 1), ("1.", 2), ("1e", 2),
      ("[1 2]", 3), ("\"\u{1}\"", 1), ("\"a", 2), (#""\x""#, 3), (#""\u12g4""#, 5), (#""\ud800""#, 7),
      (#""\ud800\u0041""#, 13), (#""\udc00""#, 7), ("1e999", 5), ("true false", 5), ("{\"a\":1,}", 7), ("[", 1),
    ])
  func refused(text: String, place: Int) {
    let error = #expect(throws: DecodingError.self) { try JSONValue(parsing: text) }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains("at byte \(place):"), "\(context.debugDescription)")
  }

  @Test("Text that is not UTF-8 is refused")
  func notUTF8() {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3]] as [[UInt8]] {
      #expect(throws: DecodingError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
    }
  }

  @Test("Five hundred and twelve levels are read, one more is refused")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(512)) }
    #expect(throws: DecodingError.self) { try JSONValue(parsing: nested(513)) }
    #expect(throws: DecodingError.self) { try JSONValue(parsing: String(repeating: "{\"a\":", count: 100_000)) }
  }

  /// With whole numbers beyond those that doubles tell apart as doubles: whether 9e17 is whole is a matter of taste.
  private func canonical(_ value: JSONValue) -> JSONValue {
    switch value {
    case .integer(let number) where abs(Double(number)) >= 0x1p53: .double(Double(number))
    case .array(let elements): .array(elements.map(canonical))
    case .object(let members): .object(members.mapValues(canonical))
    default: value
    }
  }

  // But for a zero byte, which makes a decoder take the text for UTF-16.
  @Test("Whatever is changed in a text, both readers say the same of it")
  func differential() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array(#"{}[]",:\/bfnrtu0123456789eE+-. aZé"#.utf8) + [0x1F, 0x80, 0xFF]
    for _ in 0..<4000 {
      var bytes = Array(Self.samples.randomElement(using: &generator)?.utf8 ?? "".utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        default: bytes[place] = alphabet.randomElement(using: &generator) ?? 0
        }
      }
      let (parsed, expected) = (try? JSONValue(parsing: bytes), decoded(bytes))
      // A decoder lets a comma pass that nothing follows.
      let dense = bytes.filter { !" \t\r\n".utf8.contains($0) }
      if parsed == nil, zip(dense, dense.dropFirst()).contains(where: { $0 == 0x2C && ($1 == 0x5D || $1 == 0x7D) }) {
        continue
      }
      #expect(parsed.map(canonical) == expected.map(canonical), "\(String(decoding: bytes, as: UTF8.self)) \(bytes)")
    }
  }
}
