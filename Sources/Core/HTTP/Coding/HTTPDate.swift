package import FoundationEssentials

/// Dates of HTTP fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Reads the form that servers must send, and the two that are obsolete but to be understood; nil for anything else.
  package static func date(from text: String) -> Date? {
    let parts = text.split(separator: " ")
    if parts.count == 6, parts[5] == "GMT", parts[0].hasSuffix(",") {
      return date(year: parts[3], month: parts[2], day: parts[1], clock: parts[4])
    }
    // RFC 850: `Sunday, 06-Nov-94 08:49:37 GMT`
    if parts.count == 4, parts[3] == "GMT", parts[0].hasSuffix(","),
      case let day = parts[1].split(separator: "-"), day.count == 3, day[2].utf8.count == 2, let year = Int(day[2])
    {
      return date(year: "\(full(year))", month: day[1], day: day[0], clock: parts[2])
    }
    // asctime: `Sun Nov  6 08:49:37 1994`
    if parts.count == 5, weekdays.contains(String(parts[0])) {
      return date(year: parts[4], month: parts[1], day: parts[2], clock: parts[3])
    }
    return nil
  }

  private static func date(
    year: some StringProtocol, month: Substring, day: Substring, clock: Substring
  ) -> Date? {
    guard year.utf8.count == 4, clock.utf8.count == 8, let month = months.firstIndex(of: String(month)),
      let day = Int(day)
    else { return nil }
    return ISO8601.date(from: "\(year)-\(CivilTime.padded(month + 1, 2))-\(CivilTime.padded(day, 2))T\(clock)Z")
  }

  /// A year of two digits is the last one that is not more than 50 years ahead.
  private static func full(_ year: Int) -> Int {
    let latest = CivilTime(secondsSince1970: Int(Date().timeIntervalSince1970)).year + 50
    return latest - (latest - year) % 100
  }

  /// Writes a second in that form, which knows the years 0000 to 9999.
  package static func string(secondsSince1970 seconds: Int) -> String {
    let time = CivilTime(secondsSince1970: seconds)
    let day = "\(CivilTime.padded(time.day, 2)) \(months[time.month - 1]) \(CivilTime.padded(time.year, 4))"
    return "\(weekdays[time.weekday]), \(day) \(time.clock) GMT"
  }
}
