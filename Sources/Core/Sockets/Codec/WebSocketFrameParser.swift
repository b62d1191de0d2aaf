/// Cuts received bytes into the payloads of frames, wherever the bytes were split (RFC 6455 §5.2).
///
/// Strict: every frame that the protocol forbids is an error, as soon as the byte that shows it has arrived.
struct WebSocketFrameParser {
  /// The head of a frame.
  struct Header {
    var opcode = WebSocketOpcode.continuation
    var isFinal = false
    /// RSV1: the message that begins here is compressed.
    var isCompressed = false
    var length = 0
    var mask: UInt32 = 0
  }

  /// A part of a frame's payload that lies in the input, still masked.
  struct Piece {
    var header: Header
    var payload: UnsafeRawBufferPointer
    /// The key for these bytes.
    var mask: UInt32
    var isFirst: Bool
    var isLast: Bool
  }

  private let expectsMask: Bool
  private let allowsCompression: Bool
  private let maximumFrameBytes: Int
  /// The bytes of a head that is not complete.
  private var head: (UInt64, UInt64) = (0, 0)
  private var headCount = 0
  private var header = Header()
  private var isInsideFrame = false
  private var position = 0
  /// Whether a message has begun that is not complete.
  private var isInsideMessage = false

  /// A parser for one side.
  ///
  /// - Parameter role: This side; frames come from the other one.
  init(role: WebSocketRole, allowsCompression: Bool, maximumFrameBytes: Int) {
    expectsMask = role == .server
    self.allowsCompression = allowsCompression
    self.maximumFrameBytes = maximumFrameBytes
  }

  /// The next part of a payload in `input` from `offset` on, which moves behind it; nil when more bytes are needed.
  mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(WebSocketError) -> Piece? {
    if !isInsideFrame {
      guard try readHead(input, at: &offset) else { return nil }
      isInsideFrame = true
      position = 0
    }
    let count = min(header.length - position, input.count - offset)
    guard count > 0 || header.length == 0 else { return nil }
    let piece = Piece(
      header: header, payload: UnsafeRawBufferPointer(rebasing: input[offset..<offset + count]),
      mask: WebSocketMask.advance(header.mask, by: position), isFirst: position == 0,
      isLast: position + count == header.length)
    offset += count
    position += count
    if piece.isLast { isInsideFrame = false }
    return piece
  }

  // MARK: - The head

  private mutating func readHead(
    _ input: UnsafeRawBufferPointer, at offset: inout Int
  ) throws(WebSocketError) -> Bool {
    if headCount == 0, input.count - offset >= 2 {
      let length = try check(input[offset], input[offset + 1])
      if input.count - offset >= length {
        try decode(UnsafeRawBufferPointer(rebasing: input[offset..<offset + length]))
        offset += length
        return true
      }
    }
    while offset < input.count {
      let byte = input[offset]
      offset += 1
      let index = headCount
      withUnsafeMutableBytes(of: &head) { $0[index] = byte }
      headCount += 1
      guard headCount >= 2 else { continue }
      let (first, second) = withUnsafeBytes(of: head) { ($0[0], $0[1]) }
      guard headCount == (try check(first, second)) else { continue }
      let copy = head
      let count = headCount
      headCount = 0
      // A typed error does not pass through a closure here.
      let result = withUnsafeBytes(of: copy) { bytes -> WebSocketError? in
        do throws(WebSocketError) {
          try decode(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
          return nil
        } catch { return error }
      }
      if let result { throw result }
      return true
    }
    return false
  }

  /// Checks the two bytes every frame begins with; returns the length of the whole head.
  private func check(_ first: UInt8, _ second: UInt8) throws(WebSocketError) -> Int {
    guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
      throw .violation("A frame has the unknown opcode \(first & 0x0F).")
    }
    guard first & 0x30 == 0 else { throw .violation("A frame has a reserved bit set.") }
    if first & 0x40 != 0 {
      guard allowsCompression else { throw .violation("A frame is compressed, which was not agreed on.") }
      guard opcode == .text || opcode == .binary else {
        throw .violation("A frame is marked as compressed that does not begin a message.")
      }
    }
    if opcode.isControl {
      guard first & 0x80 != 0 else { throw .violation("A control frame is fragmented.") }
      guard second & 0x7F <= 125 else { throw .violation("A control frame is longer than 125 bytes.") }
    } else if opcode == .continuation {
      guard isInsideMessage else { throw .violation("A continuation has no beginning.") }
    } else {
      guard !isInsideMessage else { throw .violation("A message begins within another one.") }
    }
    guard (second & 0x80 != 0) == expectsMask else {
      throw .violation(expectsMask ? "A client's frame is not masked." : "A server's frame is masked.")
    }
    let lengthBytes = second & 0x7F == 126 ? 2 : second & 0x7F == 127 ? 8 : 0
    return 2 + lengthBytes + (expectsMask ? 4 : 0)
  }

  /// Reads a complete head whose first two bytes have been checked.
  private mutating func decode(_ bytes: UnsafeRawBufferPointer) throws(WebSocketError) {
    var length = UInt64(bytes[1] & 0x7F)
    if length == 126 {
      length = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
      guard length > 125 else { throw .violation("A frame's length is written in more bytes than it needs.") }
    } else if length == 127 {
      length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
      guard length >> 63 == 0 else { throw .violation("A frame's length has its highest bit set.") }
      guard length > 0xFFFF else { throw .violation("A frame's length is written in more bytes than it needs.") }
    }
    guard length <= UInt64(maximumFrameBytes) else {
      throw .tooBig("A frame of \(length) bytes is larger than maximumFrameBytes (\(maximumFrameBytes)).")
    }
    // The first two bytes have been checked, so there is an opcode.
    header.opcode = WebSocketOpcode(rawValue: bytes[0] & 0x0F) ?? .continuation
    header.isFinal = bytes[0] & 0x80 != 0
    header.isCompressed = bytes[0] & 0x40 != 0
    header.length = Int(length)
    header.mask =
      expectsMask
      ? UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self)) : 0
    if !header.opcode.isControl { isInsideMessage = !header.isFinal }
  }
}

extension WebSocketError {
  static func violation(_ message: String) -> WebSocketError {
    WebSocketError(code: .protocolViolation, message: "The peer broke the protocol: \(message)")
  }

  static func tooBig(_ message: String) -> WebSocketError { WebSocketError(code: .messageTooBig, message: message) }

  static let invalidText = WebSocketError(code: .invalidText, message: "The peer sent a text that is not UTF-8.")

  /// What the peer is told about the failure.
  var toldCode: WebSocketCloseCode {
    switch code {
    case .invalidText: .invalidPayload
    case .messageTooBig: .messageTooBig
    default: .protocolError
    }
  }
}
