/// A second in UTC as the proleptic Gregorian calendar names it.
struct CivilTime {
  let year: Int
  /// 1 to 12.
  let month: Int
  /// 1 to 31.
  let day: Int
  /// 0 for Sunday.
  let weekday: Int
  private let secondOfDay: Int

  /// Names a second, before 1970 as well.
  init(secondsSince1970 seconds: Int) {
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    secondOfDay = seconds - days * 86_400
    // 1970 began with a Thursday.
    weekday = ((days + 4) % 7 + 7) % 7
    let shifted = days + Self.daysFromMarch0ToEpoch
    let era = (shifted >= 0 ? shifted : shifted - Self.daysPer400Years + 1) / Self.daysPer400Years
    let dayOfEra = shifted - era * Self.daysPer400Years
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
  }

  /// The time of day: `08:49:37`.
  var clock: String {
    "\(Self.padded(secondOfDay / 3600, 2)):\(Self.padded(secondOfDay / 60 % 60, 2)):\(Self.padded(secondOfDay % 60, 2))"
  }

  /// How many days a date, which has to exist, lies behind the first of 1970.
  static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * daysPer400Years + dayOfEra - daysFromMarch0ToEpoch
  }

  static func daysInMonth(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// A number with zeros in front.
  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  // Years are counted from March, so that the leap day comes last.
  private static let daysFromMarch0ToEpoch = 719_468
  private static let daysPer400Years = 146_097
}
