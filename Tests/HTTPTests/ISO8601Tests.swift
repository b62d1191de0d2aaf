import FoundationEssentials
import SwiftwaterHTTP
import Testing

@Suite("ISO 8601 dates")
struct ISO8601Tests {
  @Test(
    "Fractions of zero to nine digits and any offset are read",
    arguments: [
      ("1970-01-01T00:00:00Z", 0.0),
      ("2001-01-01T00:00:00+00:00", 978_307_200),
      ("2026-11-30T03:35:09.123456+00:00", 1_796_009_709.123456),
      ("2026-11-30 03:35:09.1+00", 1_796_009_709.1),
      ("2026-11-30T09:05:09.123456789+0530", 1_796_009_709.123456789),
      ("2026-11-29T22:05:09-05:30", 1_796_009_709),
      ("2026-11-30T03:35:09", 1_796_009_709),
      ("2026-11-30T03:35Z", 1_796_009_700),
      ("2026-11-30", 1_795_996_800),
      ("2000-02-29T12:00:00Z", 951_825_600),
      ("1969-12-31T23:59:59.5Z", -0.5),
      ("0001-01-01T00:00:00Z", -62_135_596_800),
      ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
  func reads(text: String, seconds: Double) throws {
    let date = try #require(ISO8601.date(from: text))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(
    "What is no date is refused",
    arguments: [
      "", "2026", "2026-13-01", "2026-02-29", "2026-11-31", "2026-11-30T", "2026-11-30T24:00Z", "2026-11-30T03:60Z",
      "2026-11-30T03:35:09.Z", "2026-11-30T03:35:09.1234567890Z", "2026-11-30T03:35:09+", "2026-11-30T03:35:09Z ",
      "2026-11-30T03:35:09+25:00", "x026-11-30", "２026-11-30",
    ])
  func refuses(text: String) {
    #expect(ISO8601.date(from: text) == nil)
  }

  @Test("Microseconds survive the way out and back")
  func roundTrip() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let microseconds = Int64.random(in: -2_000_000_000_000_000...4_000_000_000_000_000, using: &random)
      let date = Date(
        timeIntervalSinceReferenceDate: Double(microseconds / 1_000_000) + Double(microseconds % 1_000_000) / 1e6)
      let text = ISO8601.string(from: date)
      let back = try #require(ISO8601.date(from: text))
      #expect(back == date || ISO8601.string(from: back) == text, "\(text)")
      #expect(abs(back.timeIntervalSince(date)) < 1e-6)
    }
  }

  @Test("Dates are written in UTC with as many digits as they need")
  func writes() {
    #expect(ISO8601.string(from: Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00Z")
    #expect(ISO8601.string(from: Date(timeIntervalSince1970: 951_825_600.25)) == "2000-02-29T12:00:00.25Z")
    #expect(ISO8601.string(from: Date(timeIntervalSince1970: -0.000001)) == "1969-12-31T23:59:59.999999Z")
  }

  @Test("Dates without a place in the calendar neither crash nor pass for others")
  func extremes() {
    #expect(ISO8601.string(from: Date(timeIntervalSince1970: .infinity)) == "9999-12-31T23:59:59Z")
    #expect(ISO8601.string(from: Date(timeIntervalSince1970: -.greatestFiniteMagnitude)) == "0001-01-01T00:00:00Z")
    #expect(ISO8601.string(from: Date(timeIntervalSince1970: .nan)) == "NaN")
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601Microseconds
    for seconds in [Double.nan, -Double.infinity, 253_402_300_800] {
      let error = #expect(throws: EncodingError.self) { try encoder.encode([Date(timeIntervalSince1970: seconds)]) }
      #expect(error.map { "\($0)".contains("years 1 to 9999") } == true)
    }
  }
}
