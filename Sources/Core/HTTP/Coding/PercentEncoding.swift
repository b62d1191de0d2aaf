extension String {
  /// The text as a query's name or value (RFC 3986 §3.4): everything but letters, digits and `-._~,()*:!'` is
  /// percent-encoded, so that neither `&` nor `+` changes its meaning.
  package var percentEncodedForQuery: String {
    percentEncoded { byte in
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: ":"),
        UInt8(ascii: "!"), UInt8(ascii: "'"):
        true
      default: false
      }
    }
  }

  /// The text as one segment of a path: everything but unreserved characters is percent-encoded.
  package var percentEncodedForPath: String { percentEncoded { _ in false } }

  private func percentEncoded(keeping isKept: (UInt8) -> Bool) -> String {
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        true
      default: isKept(byte)
      }
    }
    // Nearly all texts stay as they are.
    if utf8.allSatisfy(isPlain) { return self }
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(utf8.count)
    for byte in utf8 {
      if isPlain(byte) {
        encoded.append(byte)
      } else {
        encoded.append(contentsOf: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]])
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
