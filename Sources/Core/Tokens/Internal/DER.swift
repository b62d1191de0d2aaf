/// The few pieces of ASN.1's distinguished encoding (X.690) that keys and signatures are made of.
enum DER {
  static func sequence(_ parts: [UInt8]...) -> [UInt8] { tagged(0x30, Array(parts.joined())) }

  /// A whole number that is not negative, from its bytes, the highest first.
  static func integer(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let digits = bytes.drop { $0 == 0 }
    guard let first = digits.first else { return tagged(0x02, [0]) }
    return tagged(0x02, (first & 0x80 == 0 ? [] : [0]) + digits)
  }

  static func bitString(_ bytes: [UInt8]) -> [UInt8] { tagged(0x03, [0] + bytes) }

  static func octetString(_ bytes: [UInt8]) -> [UInt8] { tagged(0x04, bytes) }

  /// A part that its place in a sequence tells from others.
  static func part(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { tagged(0xA0 | number, content) }

  /// rsaEncryption with its empty parameters (RFC 3279 §2.3.1).
  static let rsa = sequence([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], [0x05, 0x00])
  /// The curve P-256 (RFC 5480 §2.1.1.1).
  static let p256: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  /// A public key on that curve.
  static let ellipticCurve = sequence([0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01], p256)

  private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 0x80 {
      length = [UInt8(content.count)]
    } else {
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
  }
}
