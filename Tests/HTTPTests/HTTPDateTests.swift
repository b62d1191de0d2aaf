import FoundationEssentials
import SwiftwaterHTTP
import Testing

@Suite("Dates of HTTP fields")
struct HTTPDateTests {
  @Test(
    "Dates are right around leap days, the turn of years and 1970, in both directions",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (-86_400, "Wed, 31 Dec 1969 00:00:00 GMT"), (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
  func dates(_ seconds: Int, _ text: String) {
    #expect(HTTPDate.string(secondsSince1970: seconds) == text)
    #expect(HTTPDate.date(from: text)?.timeIntervalSince1970 == Double(seconds))
  }

  @Test(
    "Every day follows the one before it on the next day of the week", arguments: [10_950..<12_450, 46_000..<49_500])
  func days(_ days: Range<Int>) {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    for day in days {
      let text = HTTPDate.string(secondsSince1970: day * 86_400)
      guard text.hasPrefix(weekdays[day % 7]),
        HTTPDate.date(from: text)?.timeIntervalSince1970 == Double(day * 86_400)
      else {
        Issue.record("\(day): \(text)")
        return
      }
    }
  }

  @Test(
    "The obsolete forms are understood",
    arguments: ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT"])
  func obsolete(_ text: String) {
    #expect(HTTPDate.date(from: text) == Date(timeIntervalSince1970: 784_111_777))
  }

  @Test("A year of two digits is never more than 50 years ahead")
  func twoDigits() throws {
    let now = Date()
    for year in 0..<100 {
      let text = "Sunday, 06-Nov-\(year < 10 ? "0" : "")\(year) 08:49:37 GMT"
      let years = try #require(HTTPDate.date(from: text)).timeIntervalSince(now) / 31_556_952
      #expect((-50...51).contains(years), "\(text)")
    }
  }

  @Test(
    "Other forms are none",
    arguments: [
      "", "Sunday, 06-Nov-1994 08:49:37 GMT", "Son Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
    ])
  func others(_ text: String) {
    #expect(HTTPDate.date(from: text) == nil)
  }
}
