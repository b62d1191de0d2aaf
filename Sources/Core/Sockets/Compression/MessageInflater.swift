internal import CZlib

/// Decompresses messages of one direction (RFC 7692 §7.2.2).
///
/// zlib's state exists from the first compressed message on. Where messages may refer to earlier ones it stays, until
/// `compact()` keeps nothing of it but the history itself.
final class MessageInflater {
  private let takesContextOver: Bool
  private let windowBits: Int32
  private var stream: UnsafeMutablePointer<z_stream>?
  private var memory: DeflateMemory?
  /// The history, while there is no stream.
  private var history: [UInt8] = []
  private var isAtMessageStart = true

  init(takesContextOver: Bool, windowBits: Int) {
    self.takesContextOver = takesContextOver
    self.windowBits = Int32(windowBits)
  }

  deinit { end() }

  /// Bytes that this keeps between messages, about.
  var residentBytes: Int { (stream == nil ? 0 : 10_000 + (1 << Int(windowBits))) + history.count }

  /// Decompresses a part of a message and hands what comes out to `body` piece by piece, which may throw to stop.
  ///
  /// - Parameter isLast: whether the message ends with this part.
  func inflate(
    _ input: UnsafeRawBufferPointer, isLast: Bool,
    into body: (UnsafeRawBufferPointer) throws(WebSocketError) -> Void
  ) throws(WebSocketError) {
    let stream = try openStream()
    isAtMessageStart = false
    try run(stream, input, body)
    guard isLast else { return }
    // The sender has left out the end of the last block.
    let tail: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0xFF, 0xFF)
    var result: WebSocketError?
    withUnsafeBytes(of: tail) { tail in
      do throws(WebSocketError) { try run(stream, tail, body) } catch { result = error }
    }
    if let result { throw result }
    isAtMessageStart = true
    if !takesContextOver { end() }
  }

  /// Gives memory back between messages.
  func compact() {
    guard let stream, isAtMessageStart else { return }
    var count: UInt32 = 0
    guard inflateGetDictionary(stream, nil, &count) == Z_OK else { return }
    history = Array(unsafeUninitializedCapacity: Int(count)) { buffer, initialized in
      initialized = inflateGetDictionary(stream, buffer.baseAddress, &count) == Z_OK ? Int(count) : 0
    }
    end()
  }

  private func openStream() throws(WebSocketError) -> UnsafeMutablePointer<z_stream> {
    if let stream { return stream }
    let isShort = WebSocketError(code: .connectionLost, message: "Memory for decompression is short.")
    guard let memory = DeflateMemory(windowBits: windowBits) else { throw isShort }
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    memory.serve(stream)
    guard swiftwater_inflate_init(stream, windowBits) == Z_OK else {
      stream.deallocate()
      throw isShort
    }
    if !history.isEmpty {
      inflateSetDictionary(stream, history, UInt32(history.count))
      history = []
    }
    self.stream = stream
    self.memory = memory
    return stream
  }

  private func run(
    _ stream: UnsafeMutablePointer<z_stream>, _ input: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(WebSocketError) -> Void
  ) throws(WebSocketError) {
    guard let start = input.baseAddress, !input.isEmpty else { return }
    stream.pointee.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(input.count)
    var failure: WebSocketError?
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { scratch in
      repeat {
        stream.pointee.next_out = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(scratch.count)
        let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
        let count = scratch.count - Int(stream.pointee.avail_out)
        // Also what came out before an error, so that the verdict does not depend on how the input was split.
        do throws(WebSocketError) {
          if count > 0 { try body(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        } catch {
          failure = error
          return
        }
        // Z_BUF_ERROR: there is nothing to do for what is there, which is no failure.
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
          failure = .violation("A compressed message is damaged.")
          return
        }
        // A final block inside of a message is allowed (RFC 7692 §7.2.3.4); what follows may refer to what it held.
        if status == Z_STREAM_END { inflateResetKeep(stream) }
        if status == Z_BUF_ERROR { return }
      } while stream.pointee.avail_out == 0 || stream.pointee.avail_in > 0
    }
    if let failure { throw failure }
  }

  private func end() {
    guard let stream else { return }
    inflateEnd(stream)
    stream.deallocate()
    self.stream = nil
    memory = nil
  }
}
