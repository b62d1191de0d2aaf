package import FoundationEssentials

/// Dates of HTTP fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
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
}
