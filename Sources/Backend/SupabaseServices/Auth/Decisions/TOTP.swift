internal import CCrypto

/// Codes that change each half minute (RFC 6238, with HMAC-SHA-1 and six digits, as all authenticators know).
struct TOTP: Equatable {
  static let period = 30
  private let secret: [UInt8]

  /// A new secret of 20 bytes, the hash's length (RFC 4226 §4).
  init() { secret = Secrets.random(20) }

  /// The secret of these bytes.
  init(secret: [UInt8]) { self.secret = secret }

  /// Reads a secret in base32 (RFC 4648 §6) without padding; nil for anything else.
  init?(base32 text: String) {
    var bytes: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for character in text.utf8 {
      guard let value = Self.alphabet.firstIndex(of: character) else { return nil }
      buffer = buffer << 5 | UInt32(value)
      bits += 5
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
      }
    }
    guard !bytes.isEmpty else { return nil }
    secret = bytes
  }

  /// The secret as authenticators take it.
  var base32: String {
    var text: [UInt8] = []
    var (buffer, bits): (UInt32, Int) = (0, 0)
    for byte in secret {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(Self.alphabet[Int(buffer >> bits & 31)])
      }
    }
    if bits > 0 { text.append(Self.alphabet[Int(buffer << (5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The code at a time in seconds since 1970.
  func code(at time: Double) -> String { code(step: UInt64(max(0, time)) / UInt64(Self.period)) }

  /// The step whose code it is: that of the time, or the one before or after, since clocks differ. Nil for other codes.
  func step(of code: String, at time: Double) -> Int? {
    let step = Int(max(0, time)) / Self.period
    return [step, step - 1, step + 1].first { $0 >= 0 && Secrets.equals(self.code(step: UInt64($0)), code) }
  }

  /// RFC 4226 §5.3.
  private func code(step: UInt64) -> String {
    let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
    var digest = [UInt8](repeating: 0, count: 20)
    var length: UInt32 = 0
    HMAC(EVP_sha1(), secret, Int32(secret.count), message, message.count, &digest, &length)
    let offset = Int(digest[19] & 15)
    let number = digest[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let digits = String(number % 1_000_000)
    return String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
}
