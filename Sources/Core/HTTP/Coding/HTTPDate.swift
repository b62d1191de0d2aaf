package import FoundationEssentials

/// Dates of HTTP fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Reads the form that servers must send; nil for anything else.
  package static func date(from text: String) -> Date? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 6, parts[5] == "GMT", parts[0].hasSuffix(","), parts[1].utf8.count == 2,
      parts[3].utf8.count == 4, parts[4].utf8.count == 8, let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    return ISO8601.date(from: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }

  /// Writes a second in that form, which knows the years 0000 to 9999.
  package static func string(secondsSince1970 seconds: Int) -> String {
    let time = CivilTime(secondsSince1970: seconds)
    let day = "\(CivilTime.padded(time.day, 2)) \(months[time.month - 1]) \(CivilTime.padded(time.year, 4))"
    return "\(weekdays[time.weekday]), \(day) \(time.clock) GMT"
  }
}
