/// A set of ASCII characters that is asked for every byte of a head.
struct ByteSet: Sendable {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte < 64 ? low : byte < 128 ? high : 0
    return word >> UInt64(byte & 63) & 1 != 0
  }

  /// `tchar` (RFC 9110 §5.6.2).
  static var token: ByteSet { ByteSet(low: 0x03ff_6cfa_0000_0000, high: 0x57ff_ffff_c7ff_fffe) }
  /// The characters of `uri-host [ ":" port ]` (RFC 3986 §3.2).
  static var host: ByteSet { ByteSet(low: 0x2fff_7ff2_0000_0000, high: 0x47ff_fffe_afff_fffe) }
}
