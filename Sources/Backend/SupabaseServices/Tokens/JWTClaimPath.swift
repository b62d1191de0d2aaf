internal import FoundationEssentials
internal import SwiftwaterHTTP
public import SwiftwaterTokens

/// Where in a token's claims something stands, written as PostgREST's `jwt-role-claim-key`: `.role`, `$.role`,
/// `.app."user role"[0]`, `$['app'].roles[?(@ == "editor")]`.
///
/// A filter in `[?(@ … "text")]` picks the first text of a list that equals (`==`), does not equal (`!=`), begins with
/// (`^==`), ends with (`==^`) or contains (`*==`) another.
public struct JWTClaimPath: Sendable, Hashable {
  enum Step: Sendable, Hashable {
    case member(String)
    case element(Int)
    case match(Comparison, String)
  }

  enum Comparison: String, Sendable, CaseIterable {
    // The longer ones first: each begins the shorter one's way.
    case endsWith = "==^"
    case startsWith = "^=="
    case contains = "*=="
    case equals = "=="
    case differs = "!="
  }

  let steps: [Step]

  /// The claim `role`.
  public static let role = JWTClaimPath(steps: [.member("role")])

  private init(steps: [Step]) { self.steps = steps }

  /// Reads a path.
  ///
  /// - Throws: `JWTKeyError`, which says where reading stopped.
  public init(_ text: String) throws(JWTKeyError) {
    var scanner = PathScanner(text)
    scanner.skip("$")
    var steps: [Step] = []
    while !scanner.isAtEnd {
      guard let step = scanner.step() else {
        throw JWTKeyError(
          "The role claim key \(text) cannot be read at character \(scanner.offset + 1): write .role or .a.b[0].role.")
      }
      steps.append(step)
    }
    guard !steps.isEmpty else { throw JWTKeyError("The role claim key is empty: write .role.") }
    self.steps = steps
  }

  /// What stands there, as JSON where it is no text; nil for nothing.
  func text(in claims: JSONValue) -> String? {
    value(in: claims).map { value in
      value.stringValue ?? (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }

  private func value(in claims: JSONValue) -> JSONValue? {
    steps.reduce(Optional(claims)) { value, step in
      switch step {
      case .member(let name): value?[name]
      case .element(let index): value?[index]
      case .match(let comparison, let text):
        value?.arrayValue?.first { $0.stringValue.map { comparison.holds($0, text) } ?? false }
      }
    }
  }
}

extension JWTClaimPath.Comparison {
  fileprivate func holds(_ text: String, _ other: String) -> Bool {
    switch self {
    case .equals: text == other
    case .differs: text != other
    case .startsWith: text.hasPrefix(other)
    case .endsWith: text.hasSuffix(other)
    case .contains: other.isEmpty || text.contains(other)
    }
  }
}

/// Reads a path from its beginning.
private struct PathScanner {
  private let characters: [Character]
  private(set) var offset = 0

  init(_ text: String) { characters = Array(text) }

  var isAtEnd: Bool { offset == characters.count }

  /// Goes past the text if it is next.
  @discardableResult
  mutating func skip(_ text: String) -> Bool {
    guard characters[offset...].starts(with: text) else { return false }
    offset += text.count
    return true
  }

  mutating func step() -> JWTClaimPath.Step? {
    if skip(".") { return (quoted() ?? word()).map { .member($0) } }
    guard skip("[") else { return nil }
    let step: JWTClaimPath.Step?
    if let name = quoted() {
      step = .member(name)
    } else if skip("?(") {
      step = filter()
    } else {
      step = take(while: \.isWholeNumber).flatMap { Int($0) }.map { .element($0) }
    }
    return step != nil && skip("]") ? step : nil
  }

  private mutating func filter() -> JWTClaimPath.Step? {
    skipSpaces()
    guard skip("@") else { return nil }
    skipSpaces()
    guard let comparison = JWTClaimPath.Comparison.allCases.first(where: { skip($0.rawValue) }) else { return nil }
    skipSpaces()
    guard let text = quoted() else { return nil }
    skipSpaces()
    return skip(")") ? .match(comparison, text) : nil
  }

  private mutating func quoted() -> String? {
    guard !isAtEnd, let quote = ["\"", "'"].first(where: { characters[offset] == $0 }),
      let end = characters[(offset + 1)...].firstIndex(of: quote)
    else { return nil }
    defer { offset = end + 1 }
    return String(characters[(offset + 1)..<end])
  }

  private mutating func word() -> String? {
    take { $0.isLetter || $0.isNumber || "_$@".contains($0) }
  }

  private mutating func take(while condition: (Character) -> Bool) -> String? {
    let taken = characters[offset...].prefix(while: condition)
    offset += taken.count
    return taken.isEmpty ? nil : String(taken)
  }

  private mutating func skipSpaces() {
    _ = take { $0 == " " }
  }
}
