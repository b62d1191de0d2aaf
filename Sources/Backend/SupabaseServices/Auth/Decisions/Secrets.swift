internal import CCrypto

/// Random texts, and hashes of them.
enum Secrets {
  /// A UUID of random bits (RFC 9562 §5.4), in lower case.
  static func uuid() -> String {
    var bytes = random(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = hexadecimal(bytes)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  /// A code of so many decimal digits.
  static func code(length: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<length).map { _ in Character(String(Int.random(in: 0...9, using: &generator))) })
  }

  /// A text of letters and digits, for refresh tokens and passwords that nobody types: some 6 bits a character.
  static func token(length: Int) -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var generator = SystemRandomNumberGenerator()
    return String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
  }

  /// So many random bytes.
  static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// What links and `token_hash` carry, from which nobody reads the code: SHA-224 of the recipient and the code, as in
  /// GoTrue.
  static func link(recipient: String, code: String) -> String {
    let bytes = Array((recipient + code).utf8)
    var digest = [UInt8](repeating: 0, count: 28)
    SHA224(bytes, bytes.count, &digest)
    return hexadecimal(digest)
  }

  /// SHA-256 in hexadecimal digits.
  static func hash(_ text: String) -> String { hexadecimal(sha256(Array(text.utf8))) }

  static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &digest)
    return digest
  }

  /// Whether two texts are the same, in a time that tells nothing of where they differ.
  static func equals(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    return left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// Makes what the database keeps of one-time tokens: a hash under a key that the database does not have. Six digits
/// could be guessed from any other hash, and a hash that stands in a link would be as good as the link.
struct TokenSeal: Sendable {
  private let key: [UInt8]

  init(secret: String) { key = Secrets.sha256(Array("swiftwater one-time tokens\n\(secret)".utf8)) }

  /// HMAC-SHA-256 in hexadecimal digits.
  func seal(_ link: String) -> String {
    let message = Array(link.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &length)
    return Secrets.hexadecimal(digest)
  }
}
