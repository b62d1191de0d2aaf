internal import CCrypto

/// Masking keys that nobody can foresee (RFC 6455 §10.3), fetched in batches.
struct WebSocketMaskSource {
  private static let batch = 64
  private var keys: [UInt32] = []

  /// The next key, never zero, which would mask nothing.
  mutating func next() -> UInt32 {
    while true {
      if keys.isEmpty { refill() }
      if let key = keys.popLast(), key != 0 { return key }
    }
  }

  /// Gives the memory back until the next key is needed.
  mutating func release() { keys = [] }

  private mutating func refill() {
    keys = Array(unsafeUninitializedCapacity: Self.batch) { buffer, count in
      count = Self.batch
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      guard RAND_bytes(bytes.bindMemory(to: UInt8.self).baseAddress, Int32(bytes.count)) != 1 else { return }
      var system = SystemRandomNumberGenerator()
      for index in buffer.indices { buffer[index] = UInt32.random(in: 1...UInt32.max, using: &system) }
    }
  }
}
