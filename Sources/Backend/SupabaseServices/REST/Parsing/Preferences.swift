internal import SwiftwaterHTTP

/// The wishes of a `Prefer` header (RFC 7240) that the service knows.
struct Preferences: Equatable, Sendable {
  enum Return: String, Sendable { case minimal, representation, headersOnly = "headers-only" }
  enum Count: String, Sendable { case exact, planned, estimated }
  enum Resolution: String, Sendable {
    case mergeDuplicates = "merge-duplicates", ignoreDuplicates = "ignore-duplicates"
  }
  enum Missing: String, Sendable { case `default`, null }
  enum Handling: String, Sendable { case strict, lenient }
  enum Transaction: String, Sendable { case commit, rollback }

  var returning: Return?
  var count: Count?
  var resolution: Resolution?
  var missing: Missing?
  var handling: Handling?
  var transaction: Transaction?
  var timeZone: String?
  var maximumAffected: Int?
  /// What no part of the service knows.
  var unknown: [String] = []

  init() {}

  /// Reads all `Prefer` fields; of several values for one wish the first counts.
  init(_ fields: HTTPFields) {
    for field in fields[values: .prefer] {
      for part in field.split(separator: ",", omittingEmptySubsequences: false) {
        let wish = String(part.trimmingSpaces)
        if !take(wish) { unknown.append(wish) }
      }
    }
  }

  private mutating func take(_ wish: String) -> Bool {
    let sides = wish.split(separator: "=", maxSplits: 1)
    guard sides.count == 2 else { return false }
    let value = String(sides[1])
    func set<Value: RawRepresentable<String>>(_ member: WritableKeyPath<Preferences, Value?>) -> Bool {
      guard let known = Value(rawValue: value) else { return false }
      if self[keyPath: member] == nil { self[keyPath: member] = known }
      return true
    }
    switch sides[0] {
    case "return": return set(\.returning)
    case "count": return set(\.count)
    case "resolution": return set(\.resolution)
    case "missing": return set(\.missing)
    case "handling": return set(\.handling)
    case "tx": return set(\.transaction)
    case "timezone": timeZone = timeZone ?? value
    case "max-affected": maximumAffected = maximumAffected ?? Int(value)
    default: return false
    }
    return true
  }

  /// The value of `Preference-Applied`, nil when nothing was heeded.
  var applied: String? {
    var parts: [String] = []
    if let resolution { parts.append("resolution=\(resolution.rawValue)") }
    if let missing { parts.append("missing=\(missing.rawValue)") }
    if let returning { parts.append("return=\(returning.rawValue)") }
    if let count { parts.append("count=\(count.rawValue)") }
    if let transaction { parts.append("tx=\(transaction.rawValue)") }
    if let handling { parts.append("handling=\(handling.rawValue)") }
    if let timeZone { parts.append("timezone=\(timeZone)") }
    if handling == .strict, let maximumAffected { parts.append("max-affected=\(maximumAffected)") }
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
