@testable import SwiftwaterSockets

/// A frame written byte by byte, right or wrong.
struct RawFrame {
  var first: UInt8
  var payload: [UInt8]
  var mask: [UInt8]?
  /// How the length is written: 7, 16 or 64 bits; nil for as few as it takes.
  var lengthBits: Int?

  init(
    _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = nil,
    lengthBits: Int? = nil
  ) {
    first = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
    self.payload = payload
    self.mask = mask
    self.lengthBits = lengthBits
  }

  init(_ opcode: UInt8, _ payload: String, isFinal: Bool = true, mask: [UInt8]? = nil) {
    self.init(opcode, Array(payload.utf8), isFinal: isFinal, mask: mask)
  }

  /// As a client sends it.
  func masked(_ mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]) -> RawFrame {
    var copy = self
    copy.mask = mask
    return copy
  }

  var bytes: [UInt8] {
    let bits = lengthBits ?? (payload.count < 126 ? 7 : payload.count < 65_536 ? 16 : 64)
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    var bytes = [first]
    switch bits {
    case 7: bytes.append(maskBit | UInt8(payload.count))
    case 16: bytes += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      bytes.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
  }
}

/// What a side has sent, cut into frames.
struct SentFrame: Equatable, CustomStringConvertible {
  var opcode: UInt8
  var isCompressed = false
  var payload: [UInt8]

  var description: String { "\(opcode)\(isCompressed ? "c" : ""):\(String(decoding: payload, as: UTF8.self))" }

  static func text(_ text: String) -> SentFrame { SentFrame(opcode: 1, payload: Array(text.utf8)) }
  static func ping(_ text: String = "") -> SentFrame { SentFrame(opcode: 9, payload: Array(text.utf8)) }
  static func pong(_ text: String = "") -> SentFrame { SentFrame(opcode: 10, payload: Array(text.utf8)) }
  static func close(_ code: UInt16?, _ reason: String = "") -> SentFrame {
    SentFrame(opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + Array(reason.utf8))
  }

  /// Cuts whole frames.
  static func all(in bytes: [UInt8]) -> [SentFrame] {
    var frames: [SentFrame] = []
    var rest = bytes[...]
    while let first = rest.popFirst(), let second = rest.popFirst() {
      var length = Int(second & 0x7F)
      if length >= 126 {
        let count = length == 126 ? 2 : 8
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      var mask: [UInt8] = [0, 0, 0, 0]
      if second & 0x80 != 0 {
        mask = Array(rest.prefix(4))
        rest = rest.dropFirst(4)
      }
      let payload = rest.prefix(length).enumerated().map { $0.element ^ mask[$0.offset % 4] }
      rest = rest.dropFirst(length)
      frames.append(SentFrame(opcode: first & 0x0F, isCompressed: first & 0x40 != 0, payload: payload))
    }
    return frames
  }
}
