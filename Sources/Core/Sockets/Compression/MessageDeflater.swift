internal import CZlib

/// Compresses messages of one direction (RFC 7692 §7.2.1).
///
/// zlib's state exists from the first message on. Without context takeover it goes after each message, otherwise by
/// `release()`: a sender may forget its history at any time, only the receiver may not.
final class MessageDeflater {
  private let takesContextOver: Bool
  private let windowBits: Int32
  private var stream: UnsafeMutablePointer<z_stream>?
  private var memory: DeflateMemory?

  init(takesContextOver: Bool, windowBits: Int) {
    self.takesContextOver = takesContextOver
    // zlib has no raw window of 2^8. Its window of 2^9 never refers to more than 250 bytes back, which fits into 2^8.
    self.windowBits = Int32(max(windowBits, 9))
  }

  deinit { release() }

  /// Whether zlib's state exists.
  var isResident: Bool { stream != nil }

  /// The payload of a compressed message; nil when memory is short, and the message has to go as it is.
  func deflate(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let stream = openStream() else { return nil }
    var output: [UInt8] = []
    var source = input
    repeat {
      // zlib counts in 32 bits.
      let part = UnsafeRawBufferPointer(rebasing: source.prefix(1 << 30))
      source = UnsafeRawBufferPointer(rebasing: source.dropFirst(part.count))
      run(stream, part, flush: source.isEmpty ? Z_SYNC_FLUSH : Z_NO_FLUSH, into: &output)
    } while !source.isEmpty
    // The receiver adds the end of the last block again.
    if output.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]) { output.removeLast(4) }
    if output.isEmpty { output = [0] }
    if !takesContextOver { release() }
    return output
  }

  /// Gives the memory back.
  func release() {
    guard let stream else { return }
    deflateEnd(stream)
    stream.deallocate()
    self.stream = nil
    memory = nil
  }

  private func openStream() -> UnsafeMutablePointer<z_stream>? {
    if let stream { return stream }
    guard let memory = DeflateMemory(windowBits: windowBits) else { return nil }
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    memory.serve(stream)
    guard swiftwater_deflate_init(stream, Z_DEFAULT_COMPRESSION, windowBits, min(windowBits - 7, 8)) == Z_OK else {
      stream.deallocate()
      return nil
    }
    self.stream = stream
    self.memory = memory
    return stream
  }

  private func run(
    _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer, flush: Int32, into output: inout [UInt8]
  ) {
    var nothing: UInt8 = 0
    withUnsafeMutablePointer(to: &nothing) { nothing in
      stream.pointee.next_in =
        input.baseAddress.map { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self)) } ?? nothing
      stream.pointee.avail_in = UInt32(input.count)
      withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { scratch in
        repeat {
          stream.pointee.next_out = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
          stream.pointee.avail_out = UInt32(scratch.count)
          CZlib.deflate(stream, flush)
          let count = scratch.count - Int(stream.pointee.avail_out)
          output.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        } while stream.pointee.avail_out == 0
      }
    }
  }
}
