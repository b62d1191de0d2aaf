/// Bytes that are appended in chunks and taken in pieces of another size.
struct ByteQueue {
  private var bytes: [UInt8] = []
  private var offset = 0

  /// How many bytes wait.
  var count: Int { bytes.count - offset }

  mutating func append(_ chunk: [UInt8]) {
    if count == 0 {
      // The usual case, which takes the chunk without a copy.
      bytes = chunk
      offset = 0
      return
    }
    // What has been taken goes once it outweighs the rest, so that every byte moves once on average.
    if offset > bytes.count / 2 {
      bytes.removeFirst(offset)
      offset = 0
    }
    bytes.append(contentsOf: chunk)
  }

  /// Moves as many bytes as there are and `buffer` holds; returns how many.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let length = min(count, buffer.count)
    guard length > 0 else { return 0 }
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + length])) }
    offset += length
    if count == 0 {
      bytes = []
      offset = 0
    }
    return length
  }
}
