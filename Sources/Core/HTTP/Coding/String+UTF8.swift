extension String {
  /// The text whose UTF-8 that is; nil for anything else. ASCII, the most frequent case, needs no look at each character.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.reduce(0, |) < 0x80 {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}
