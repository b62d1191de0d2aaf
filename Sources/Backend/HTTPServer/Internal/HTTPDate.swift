internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The `Date` field's value (RFC 9110 §5.6.7), made once a second.
final class HTTPDate: Sendable {
  private let latest = LockIsolated((second: -1, text: ""))

  /// "Sun, 06 Nov 1994 08:49:37 GMT", for this moment.
  var now: String {
    let second = Int(time(nil))
    return latest.withLock { latest in
      if latest.second != second { latest = (second, Self.format(second)) }
      return latest.text
    }
  }

  /// Formats seconds since 1970 in the proleptic Gregorian calendar.
  static func format(_ seconds: Int) -> String {
    let days = seconds / 86_400
    let time = seconds % 86_400
    // Years are counted from March, so that the leap day is a year's last; an era is 400 years.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = (monthFromMarch + 2) % 12
    let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let clock = [time / 3_600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
    return "\(weekday), \(twoDigits(day)) \(months[month]) \(year) \(clock) GMT"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
