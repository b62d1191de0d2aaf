internal import FoundationEssentials

/// Which labels tell what: `warning,io.supabase.postgrest=trace`.
struct LogFilter: Sendable {
  /// What `SWIFTWATER_LOG` asks for.
  static let environment = LogFilter(ProcessInfo.processInfo.environment["SWIFTWATER_LOG"] ?? "")

  private var fallback: ClientLogger.Level?
  private var rules: [(prefix: Substring, level: ClientLogger.Level?)] = []

  /// Reads a filter, whatever its case; entries that name no level are passed over.
  init(_ text: String) {
    for entry in text.split(separator: ",") {
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let last = parts.last, let level = Self.level(last) else { continue }
      if parts.count == 1 { fallback = level } else { rules.append((parts[0], level)) }
    }
    // The longest prefix that fits says it best.
    rules.sort { $0.prefix.count > $1.prefix.count }
  }

  func level(for label: String) -> ClientLogger.Level? {
    for rule in rules where label.hasPrefix(rule.prefix) { return rule.level }
    return fallback
  }

  /// The outer nil means that the text names no level, the inner one that nothing is wanted.
  private static func level(_ text: Substring) -> ClientLogger.Level?? {
    let text = text.lowercased()
    if text == "off" { return .some(nil) }
    return ClientLogger.Level.allCases.first { "\($0)" == text }.map { .some($0) }
  }
}
