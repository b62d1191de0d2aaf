internal import SwiftwaterHTTP

/// The wishes of a `Prefer` header (RFC 7240) that the service knows; unknown ones are ignored.
struct Preferences: Equatable {
  enum Return: String { case minimal, representation, headersOnly = "headers-only" }
  enum Count: String { case exact }

  var returning: Return?
  var count: Count?

  // They would change what the request does, so they are not to be ignored as unknown wishes are.
  private static let laterSubjects: Set<String> = ["resolution", "missing", "max-affected", "tx", "timezone"]

  /// Reads all `Prefer` fields; of several values for one wish the first counts.
  init(_ fields: HTTPFields = HTTPFields()) throws(RESTError) {
    for field in fields[values: .prefer] {
      for part in field.split(separator: ",") {
        let sides = part.split(separator: "=", maxSplits: 1).map { String($0.trimmingSpaces) }
        guard sides.count == 2 else { continue }
        switch sides[0] {
        case "return": returning = returning ?? Return(rawValue: sides[1])
        case "count":
          if sides[1] == "planned" || sides[1] == "estimated" { throw .notYet("Prefer: count=\(sides[1])") }
          count = count ?? Count(rawValue: sides[1])
        case "handling":
          if sides[1] == "strict" { throw .notYet("Prefer: handling=strict") }
        case let subject where Self.laterSubjects.contains(subject): throw .notYet("Prefer: \(subject)")
        default: break
        }
      }
    }
  }

  /// The value of `Preference-Applied`, nil when nothing was asked for. Reading has nothing to return otherwise.
  func applied(isMutation: Bool) -> String? {
    var parts: [String] = []
    if isMutation, let returning { parts.append("return=\(returning.rawValue)") }
    if let count { parts.append("count=\(count.rawValue)") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension Substring {
  /// The text without spaces and tabs at both ends.
  var trimmingSpaces: Substring {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
