public import FoundationEssentials

/// Dates as PostgreSQL and JSON APIs write them (ISO 8601, RFC 3339), to the microsecond.
///
/// `2026-11-30T03:35:09.123456+00:00`: zero to nine digits of fraction, `T` or a space, `Z` or any offset; a date alone
/// is its midnight in UTC. Dates keep microseconds on the way out and back.
public enum ISO8601 {
  /// Reads a date; nil when the text is none.
  public static func date(from text: String) -> Date? {
    var reader = Reader(text)
    guard let year = reader.number(digits: 4), reader.skip("-"),
      let month = reader.number(digits: 2), (1...12).contains(month), reader.skip("-"),
      let day = reader.number(digits: 2), (1...CivilTime.daysInMonth(month, of: year)).contains(day)
    else { return nil }
    var seconds = CivilTime.daysSince1970(year: year, month: month, day: day) * 86_400
    var nanoseconds = 0
    if !reader.isAtEnd {
      guard reader.skip("T") || reader.skip("t") || reader.skip(" "),
        let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
        let minute = reader.number(digits: 2), minute < 60
      else { return nil }
      var second = 0
      if reader.skip(":") {
        guard let value = reader.number(digits: 2), value <= 60 else { return nil }
        second = value
        if reader.skip(".") || reader.skip(",") {
          guard let fraction = reader.fraction() else { return nil }
          nanoseconds = fraction
        }
      }
      guard let offset = reader.offset(), reader.isAtEnd else { return nil }
      seconds += hour * 3600 + minute * 60 + second - offset
    }
    // Two exact parts, joined close to Date's own reference, lose less than half a microsecond until the year 2255.
    let reference = seconds - Int(Date.timeIntervalBetween1970AndReferenceDate)
    return Date(timeIntervalSinceReferenceDate: Double(reference) + Double(nanoseconds) / 1e9)
  }

  /// Writes a date in UTC with as many digits of fraction as it needs, six at most: `2026-11-30T03:35:09.5Z`.
  ///
  /// A date that is not a number is `NaN`, which nobody takes for a date; one outside of the years 1 to 9999, which the form
  /// cannot say, becomes the first or last second of them.
  public static func string(from date: Date) -> String {
    let interval = date.timeIntervalSinceReferenceDate
    if interval.isNaN { return "NaN" }
    let limited = min(max(interval, years.lowerBound), years.upperBound)
    let whole = limited.rounded(.down)
    var seconds = Int(whole) + Int(Date.timeIntervalBetween1970AndReferenceDate)
    var microseconds = Int(((limited - whole) * 1e6).rounded())
    if microseconds == 1_000_000 {
      seconds += 1
      microseconds = 0
    }
    let time = CivilTime(secondsSince1970: seconds)
    var text = "\(CivilTime.padded(time.year, 4))-\(CivilTime.padded(time.month, 2))-\(CivilTime.padded(time.day, 2))"
    text += "T" + time.clock
    if microseconds > 0 {
      var fraction = CivilTime.padded(microseconds, 6)
      while fraction.hasSuffix("0") { fraction.removeLast() }
      text += "." + fraction
    }
    return text + "Z"
  }

  /// 0001 to 9999, all that four digits can say.
  fileprivate static let years = -63_113_904_000.0...252_423_993_599.0

  private struct Reader {
    private var bytes: Substring.UTF8View

    init(_ text: String) { bytes = text[...].utf8 }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard bytes.first == UInt8(ascii: character) else { return false }
      bytes.removeFirst()
      return true
    }

    mutating func digit() -> Int? {
      guard let byte = bytes.first, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      bytes.removeFirst()
      return Int(byte - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int? {
      var number = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        number = number * 10 + digit
      }
      return number
    }

    /// One to nine digits as nanoseconds.
    mutating func fraction() -> Int? {
      var nanoseconds = 0
      var count = 0
      while count < 9, let digit = digit() {
        nanoseconds = nanoseconds * 10 + digit
        count += 1
      }
      guard count > 0 else { return nil }
      for _ in count..<9 { nanoseconds *= 10 }
      return nanoseconds
    }

    /// Seconds east of UTC; no offset is UTC, as PostgreSQL's `timestamp` has none.
    mutating func offset() -> Int? {
      if isAtEnd || skip("Z") || skip("z") { return 0 }
      let sign: Int
      if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
      guard let hours = number(digits: 2), hours < 24 else { return nil }
      var seconds = hours * 3600
      if !isAtEnd {
        _ = skip(":")
        guard let minutes = number(digits: 2), minutes < 60 else { return nil }
        seconds += minutes * 60
      }
      return sign * seconds
    }
  }
}

extension JSONDecoder.DateDecodingStrategy {
  /// ISO 8601 with any fraction and offset.
  public static let iso8601Microseconds = custom { decoder in
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let date = ISO8601.date(from: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "An ISO 8601 date is expected, such as 2026-11-30T03:35:09.123456+00:00.")
    }
    return date
  }
}

extension JSONEncoder.DateEncodingStrategy {
  /// ISO 8601 in UTC, to the microsecond. Dates outside of the years 1 to 9999 cannot be written and throw.
  public static let iso8601Microseconds = custom { date, encoder in
    let interval = date.timeIntervalSinceReferenceDate
    guard ISO8601.years.contains(interval) else {
      let context = EncodingError.Context(
        codingPath: encoder.codingPath, debugDescription: "Only dates of the years 1 to 9999 can be written.")
      // Not the date: Foundation traps when somebody prints it with the error.
      throw EncodingError.invalidValue(interval, context)
    }
    var container = encoder.singleValueContainer()
    try container.encode(ISO8601.string(from: date))
  }
}
