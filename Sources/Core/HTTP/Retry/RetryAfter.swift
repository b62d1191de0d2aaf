internal import FoundationEssentials

/// The `Retry-After` field (RFC 9110 §10.2.3).
enum RetryAfter {
  /// How long a response asks to wait; nil when it does not say, or not so that it can be understood.
  ///
  /// A date is measured against the response's own `Date`, so that a wrong clock on this side does no harm.
  static func delay(in fields: HTTPFields, now: Date = Date()) -> Duration? {
    guard let value = fields[.retryAfter] else { return nil }
    // More digits than these are more than 30 billion years.
    if !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return .seconds(Int64(value.drop { $0 == "0" }.prefix(18)) ?? 0)
    }
    guard let date = HTTPDate.date(from: value) else { return nil }
    let reference = fields[.date].flatMap(HTTPDate.date(from:)) ?? now
    return .seconds(max(0, date.timeIntervalSince(reference)))
  }
}
