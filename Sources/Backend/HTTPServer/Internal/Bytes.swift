/// The characters that structure a message.
extension UInt8 {
  static var tab: UInt8 { 0x09 }
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var numberSign: UInt8 { 0x23 }
  static var percent: UInt8 { 0x25 }
  static var comma: UInt8 { 0x2C }
  static var slash: UInt8 { 0x2F }
  static var colon: UInt8 { 0x3A }
  static var semicolon: UInt8 { 0x3B }
  static var questionMark: UInt8 { 0x3F }
  static var openBracket: UInt8 { 0x5B }
  static var closeBracket: UInt8 { 0x5D }
  static var delete: UInt8 { 0x7F }

  var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// The value of a hexadecimal digit.
  var hexadecimalValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x37
    case 0x61...0x66: self - 0x57
    default: nil
    }
  }
}
