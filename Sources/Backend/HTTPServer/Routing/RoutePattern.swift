/// A path with places for parameters.
struct RoutePattern: Sendable, CustomStringConvertible {
  enum Segment: Sendable {
    case literal(Substring)
    case parameter(Substring)
    /// All further segments, also none.
    case rest(Substring)

    /// Literals come before parameters, these before a rest.
    var rank: Int {
      switch self {
      case .literal: 0
      case .parameter: 1
      case .rest: 2
      }
    }
  }

  let segments: [Segment]

  /// Traps on what can never match, which is a mistake of the program.
  init(_ text: String) {
    precondition(text.isEmpty || text.first == "/", "The pattern \(text) does not begin with a slash.")
    var segments: [Segment] = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) where !text.isEmpty {
      if case .rest = segments.last { preconditionFailure("In the pattern \(text) something follows the rest.") }
      segments.append(Self.segment(part, of: text))
    }
    self.init(segments)
  }

  private init(_ segments: [Segment]) { self.segments = segments }

  static func + (prefix: RoutePattern, pattern: RoutePattern) -> RoutePattern {
    if case .rest? = prefix.segments.last { preconditionFailure("The prefix \(prefix) of a group has a rest.") }
    return RoutePattern(prefix.segments + pattern.segments)
  }

  /// After how many segments the rest begins, if there is one.
  var restStart: Int? {
    if case .rest? = segments.last { segments.count - 1 } else { nil }
  }

  /// Whether the patterns differ in the names of their parameters at most.
  func matchesSamePaths(as other: RoutePattern) -> Bool {
    segments.count == other.segments.count
      && zip(segments, other.segments).allSatisfy { pair in
        switch pair {
        case (.literal(let text), .literal(let other)): text == other
        default: pair.0.rank == pair.1.rank
        }
      }
  }

  /// Whether of the paths that both match this pattern takes them.
  func precedes(_ other: RoutePattern) -> Bool {
    for (own, theirs) in zip(segments, other.segments) where own.rank != theirs.rank { return own.rank < theirs.rank }
    return segments.count < other.segments.count
  }

  var description: String {
    segments.map { segment in
      switch segment {
      case .literal(let text): "/\(text)"
      case .parameter(let name): "/{\(name)}"
      case .rest(let name): "/{\(name)...}"
      }
    }.joined()
  }

  private static func segment(_ part: Substring, of pattern: String) -> Segment {
    guard part.contains("{") || part.contains("}") else { return .literal(part) }
    let name = part.dropFirst().dropLast()
    precondition(
      part.first == "{" && part.last == "}" && part.count > 2 && !name.contains("{") && !name.contains("}"),
      "In the pattern \(pattern) a parameter is not a whole segment, as in /{name}.")
    return name.hasSuffix("...") ? .rest(name.dropLast(3)) : .parameter(name)
  }
}
