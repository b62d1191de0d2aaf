import CCrypto
import FoundationEssentials

/// The app on a phone that shows a code every half minute (RFC 6238).
enum Authenticator {
  /// The code now.
  ///
  /// - Parameter secret: in base32.
  static func code(_ secret: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    let digits = secret.compactMap { alphabet.firstIndex(of: $0) }
      .map { String(String($0 + 32, radix: 2).suffix(5)) }.joined()
    let key = stride(from: 0, to: digits.count / 8 * 8, by: 8).compactMap { start in
      UInt8(digits.dropFirst(start).prefix(8), radix: 2)
    }
    let counter = UInt64(Date().timeIntervalSince1970) / 30
    let message = (0..<8).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * UInt64($0))) }
    var (hash, count) = ([UInt8](repeating: 0, count: 20), UInt32(0))
    HMAC(EVP_sha1(), key, Int32(key.count), message, message.count, &hash, &count)
    let offset = Int(hash[19] & 15)
    let number = hash[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    return String(String(number + 1_000_000_000).suffix(6))
  }
}
