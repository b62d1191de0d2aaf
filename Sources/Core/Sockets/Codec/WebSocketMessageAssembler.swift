/// Makes messages of the payloads of frames: unmasks, decompresses, joins, and checks texts on the way.
struct WebSocketMessageAssembler {
  /// What a payload has completed.
  enum Event: Equatable {
    case message(WebSocketMessage)
    case ping([UInt8])
    case pong([UInt8])
    case close(WebSocketCloseCode?, reason: String)
  }

  private let maximumMessageBytes: Int
  private let inflater: MessageInflater?
  private var isText = false
  private var isCompressed = false
  /// The message so far.
  private var message: [UInt8] = []
  private var validator = UTF8Validator()
  /// The payload of a control frame so far.
  private var control: [UInt8] = []

  init(maximumMessageBytes: Int, inflater: MessageInflater?) {
    self.maximumMessageBytes = maximumMessageBytes
    self.inflater = inflater
  }

  /// Takes the next part of a frame.
  mutating func take(_ piece: WebSocketFrameParser.Piece) throws(WebSocketError) -> Event? {
    if piece.header.opcode.isControl { return try takeControl(piece) }
    if piece.isFirst { try begin(piece.header) }
    if isCompressed {
      try inflate(piece)
    } else {
      if piece.isFirst, piece.isLast, piece.header.isFinal, piece.header.opcode != .continuation {
        return .message(try whole(piece))
      }
      try append(piece)
    }
    guard piece.isLast, piece.header.isFinal else { return nil }
    return .message(try finish())
  }

  // MARK: - Data

  private mutating func begin(_ header: WebSocketFrameParser.Header) throws(WebSocketError) {
    if header.opcode != .continuation {
      isText = header.opcode == .text
      isCompressed = header.isCompressed
      validator = UTF8Validator()
    }
    guard isCompressed || header.length <= maximumMessageBytes - message.count else { throw tooBig }
  }

  /// The usual case, a whole message in one piece, which costs one copy.
  private func whole(_ piece: WebSocketFrameParser.Piece) throws(WebSocketError) -> WebSocketMessage {
    let count = piece.payload.count
    guard isText else {
      // An array made so would write to the one storage that all empty arrays share.
      guard count > 0 else { return .binary([]) }
      return .binary(
        Array(unsafeUninitializedCapacity: count) { buffer, initialized in
          if let start = buffer.baseAddress { WebSocketMask.copy(piece.payload, to: start, key: piece.mask) }
          initialized = count
        })
    }
    var isValid = true
    let text = String(unsafeUninitializedCapacity: count) { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      WebSocketMask.copy(piece.payload, to: start, key: piece.mask)
      var validator = UTF8Validator()
      isValid = validator.accepts(UnsafeRawBufferPointer(start: start, count: count)) && validator.isComplete
      return isValid ? count : 0
    }
    guard isValid else { throw .invalidText }
    return .text(text)
  }

  private mutating func append(_ piece: WebSocketFrameParser.Piece) throws(WebSocketError) {
    let start = message.count
    message.reserveCapacityGeometrically(start + min(piece.header.length, piece.payload.count + 65_536))
    message.append(contentsOf: piece.payload)
    let isValid = message.withUnsafeMutableBytes { bytes in
      let added = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      WebSocketMask.apply(piece.mask, to: added)
      return !isText || validator.accepts(UnsafeRawBufferPointer(added))
    }
    guard isValid else { throw .invalidText }
  }

  private mutating func inflate(_ piece: WebSocketFrameParser.Piece) throws(WebSocketError) {
    guard let inflater else { return }
    let isLast = piece.isLast && piece.header.isFinal
    guard piece.mask != 0 else { return try inflate(piece.payload, isLast: isLast, by: inflater) }
    // Typed errors do not pass through this closure.
    let failure = withUnsafeTemporaryAllocation(byteCount: piece.payload.count, alignment: 8) { scratch in
      if let start = scratch.baseAddress { WebSocketMask.copy(piece.payload, to: start, key: piece.mask) }
      do throws(WebSocketError) {
        try inflate(UnsafeRawBufferPointer(scratch), isLast: isLast, by: inflater)
        return WebSocketError?.none
      } catch { return error }
    }
    if let failure { throw failure }
  }

  private mutating func inflate(
    _ payload: UnsafeRawBufferPointer, isLast: Bool, by inflater: MessageInflater
  ) throws(WebSocketError) {
    try inflater.inflate(payload, isLast: isLast) { (bytes) throws(WebSocketError) in
      guard bytes.count <= maximumMessageBytes - message.count else { throw tooBig }
      guard !isText || validator.accepts(bytes) else { throw .invalidText }
      message.append(contentsOf: bytes)
    }
  }

  private mutating func finish() throws(WebSocketError) -> WebSocketMessage {
    var bytes: [UInt8] = []
    swap(&bytes, &message)
    guard isText else { return .binary(bytes) }
    guard validator.isComplete else { throw .invalidText }
    return .text(String(decoding: bytes, as: UTF8.self))
  }

  private var tooBig: WebSocketError {
    .tooBig("A message is larger than maximumMessageBytes (\(maximumMessageBytes)).")
  }

  // MARK: - Control

  private mutating func takeControl(_ piece: WebSocketFrameParser.Piece) throws(WebSocketError) -> Event? {
    let start = control.count
    control.append(contentsOf: piece.payload)
    control.withUnsafeMutableBytes { WebSocketMask.apply(piece.mask, to: .init(rebasing: $0[start...])) }
    guard piece.isLast else { return nil }
    let payload = control
    control = []
    switch piece.header.opcode {
    case .ping: return .ping(payload)
    case .pong: return .pong(payload)
    default: return try close(payload)
    }
  }

  private func close(_ payload: [UInt8]) throws(WebSocketError) -> Event {
    guard payload.count >= 2 else {
      guard payload.isEmpty else { throw .violation("A Close frame has half a code.") }
      return .close(nil, reason: "")
    }
    let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
    guard code.isSendable else { throw .violation("A Close frame has the code \(code), which must not be sent.") }
    guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidText }
    return .close(code, reason: reason)
  }
}
