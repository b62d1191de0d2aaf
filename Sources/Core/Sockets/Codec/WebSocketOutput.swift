/// Encoded frames that the network has not taken yet, in order.
///
/// Small frames share a chunk, so that many of them leave in one write.
struct WebSocketOutput {
  /// From this size on a chunk is left as it is.
  private static let chunkBytes = 65_536

  private var chunks: [[UInt8]] = []
  private var first = 0
  private var last: [UInt8] = []
  /// How many bytes wait.
  private(set) var count = 0
  /// How many bytes have been taken since the beginning.
  private(set) var takenCount = 0

  var isEmpty: Bool { count == 0 }

  /// Adds a frame that is a whole message or a control frame.
  ///
  /// - Parameter mask: The key of a client's frame, nil on a server.
  mutating func append(
    _ opcode: WebSocketOpcode, isCompressed: Bool = false, mask: UInt32?, payload: UnsafeRawBufferPointer
  ) {
    if last.count >= Self.chunkBytes { seal() }
    let start = last.count
    last.reserveCapacityGeometrically(start + payload.count + 14)
    var head = FrameHead()
    head.append(0x80 | (isCompressed ? 0x40 : 0) | opcode.rawValue)
    let maskBit: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case ...125: head.append(maskBit | UInt8(truncatingIfNeeded: payload.count))
    case ...0xFFFF:
      head.append(maskBit | 126)
      head.append(UInt16(truncatingIfNeeded: payload.count).bigEndian)
    default:
      head.append(maskBit | 127)
      head.append(UInt64(truncatingIfNeeded: payload.count).bigEndian)
    }
    if let mask { head.append(mask.littleEndian) }
    head.withBytes { last.append(contentsOf: $0) }
    let payloadStart = last.count
    last.append(contentsOf: payload)
    if let mask {
      last.withUnsafeMutableBytes { WebSocketMask.apply(mask, to: .init(rebasing: $0[payloadStart...])) }
    }
    count += last.count - start
  }

  /// Takes the bytes that go next.
  mutating func take() -> [UInt8]? {
    guard count > 0 else { return nil }
    var chunk: [UInt8] = []
    if first < chunks.count {
      swap(&chunk, &chunks[first])
      first += 1
      if first == chunks.count {
        chunks = []
        first = 0
      }
    } else {
      swap(&chunk, &last)
    }
    count -= chunk.count
    takenCount += chunk.count
    return chunk
  }

  /// Drops what waits.
  mutating func removeAll() {
    chunks = []
    first = 0
    last = []
    count = 0
  }

  private mutating func seal() {
    chunks.append(last)
    last = []
  }
}

/// The head of a frame while it is being written.
private struct FrameHead {
  private var storage: (UInt64, UInt64) = (0, 0)
  private var count = 0

  mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
    let offset = count
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: number, toByteOffset: offset, as: Number.self) }
    count += MemoryLayout<Number>.size
  }

  func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    let count = count
    withUnsafeBytes(of: storage) { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
  }
}

extension [UInt8] {
  /// Room for `total` bytes, at least doubling what there is, so that many calls cost one copy of each byte.
  mutating func reserveCapacityGeometrically(_ total: Int) {
    guard capacity < total else { return }
    reserveCapacity(Swift.max(total, capacity * 2))
  }
}
