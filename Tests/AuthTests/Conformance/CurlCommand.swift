import FoundationEssentials
import SwiftwaterHTTP

/// A request that is written as a curl command line.
struct CurlCommand: Sendable {
  var method = "GET"
  var url = ""
  /// By names in lower case.
  var headers: [String: String] = [:]
  var body: JSONValue?

  init(_ text: String) throws {
    var words = Self.words(text)[...]
    while let word = words.popFirst() {
      switch word {
      case "curl": break
      case "--request": method = words.popFirst() ?? ""
      case "--header":
        let parts = (words.popFirst() ?? "").split(separator: ":", maxSplits: 1)
        if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingPrefix(" ").description }
      case "--data": body = try JSONDecoder().decode(JSONValue.self, from: Data((words.popFirst() ?? "").utf8))
      default: url = word
      }
    }
  }

  var path: String { String(url.split(separator: "?")[0]) }
  /// Names and values, decoded.
  var query: [String: String] { Self.query(url) }
  /// The path's parts behind `/auth/v1`.
  var segments: [String] {
    path.split(separator: "/auth/v1/").last.map { $0.split(separator: "/").map(String.init) } ?? []
  }

  static func query(_ target: String) -> [String: String] {
    let items = URLComponents(string: target)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { _, last in last }
  }

  /// A shell's words: separated by white space, with quotes and escapes.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    var characters = text[...]
    while let character = characters.popFirst() {
      switch character {
      case "\"":
        isQuoted.toggle()
        word = word ?? ""
      case "\\":
        guard let next = characters.popFirst() else { break }
        if isQuoted {
          word = (word ?? "") + ("\"\\$`".contains(next) ? "" : "\\") + String(next)
        } else if !next.isNewline {
          word = (word ?? "") + String(next)
        }
      case _ where character.isWhitespace && !isQuoted:
        if let finished = word { words.append(finished) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
