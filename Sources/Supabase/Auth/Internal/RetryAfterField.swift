internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// How long a server asks to wait (RFC 9110 §10.2.3).
enum RetryAfterField {
  /// nil where it does not ask, or not so that it can be understood.
  static func delay(in fields: HTTPFields) -> Duration? {
    guard let value = fields[.retryAfter] else { return nil }
    if let seconds = Int(value), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
    guard let date = HTTPDate.date(from: value) else { return nil }
    let now = fields[.date].flatMap(HTTPDate.date(from:)) ?? Date()
    return .seconds(min(max(0, date.timeIntervalSince(now)), 86_400))
  }
}
