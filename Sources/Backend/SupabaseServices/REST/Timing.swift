/// How long the parts of an answer took, for `Server-Timing` (W3C Server Timing).
struct Timing {
  enum Part: String { case jwt, parse, plan, transaction, response }

  private var parts: [(part: Part, duration: Duration)] = []
  private var last: ContinuousClock.Instant?

  init(isEnabled: Bool) {
    if isEnabled { last = .now }
  }

  /// A part is done; the next begins.
  mutating func end(of part: Part) {
    guard let last else { return }
    let now = ContinuousClock.now
    parts.append((part, last.duration(to: now)))
    self.last = now
  }

  /// The field's value in milliseconds; nil when nothing was measured.
  var text: String? {
    guard last != nil else { return nil }
    return parts.map { part, duration in
      let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
      let fraction = String(microseconds % 1000)
      return
        "\(part.rawValue);dur=\(microseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }.joined(separator: ", ")
  }
}
