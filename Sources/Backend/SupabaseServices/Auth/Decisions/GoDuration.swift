/// Durations as GoTrue reads them: `24h`, `1h30m`, `1.5h`.
enum GoDuration {
  private static let units: [(name: String, seconds: Double)] = [
    ("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("h", 3600), ("m", 60), ("s", 1),
  ]

  /// The seconds; nil for what is no duration.
  static func seconds(_ text: String) -> Double? {
    var rest = text[...]
    var sign = 1.0
    if rest.hasPrefix("-") || rest.hasPrefix("+") {
      if rest.hasPrefix("-") { sign = -1 }
      rest = rest.dropFirst()
    }
    if rest == "0" { return 0 }
    var total = 0.0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
      rest = rest.dropFirst(digits.count)
      guard let number = Double(digits), let unit = units.first(where: { rest.hasPrefix($0.name) }) else { return nil }
      rest = rest.dropFirst(unit.name.count)
      total += number * unit.seconds
    }
    return total.isFinite && total < 1e11 ? sign * total : nil
  }
}
