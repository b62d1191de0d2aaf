#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Turns the bytes of a connection into requests: bytes in, events out, no I/O.
///
/// The caller pulls: a body that nobody takes and a request that is not due yet stay in the buffer.
struct RequestParser {
  enum Event: Equatable {
    /// A request begins. Without a body (`framing == .none`) it is complete.
    case head(RequestHead)
    /// A part of the body, never empty.
    case body([UInt8])
    /// The body is complete.
    case end
  }

  private enum Phase {
    case head
    case length(Int64)
    case chunked(ChunkedBodyParser)
    case failed(HTTPServerError)
  }

  /// Old clients send an empty line behind a body; more than some are no such mistake.
  private static let maximumEmptyLines = 4

  private let maximumHeadBytes: Int
  private let maximumBodyBytes: Int64
  private var phase = Phase.head
  private var buffer: [UInt8] = []
  private var position = 0
  /// Up to where the head has been searched for its end, and where its last line feed stands.
  private var searched = 0
  private var lineFeed = -1
  /// How many empty lines have come before the request line.
  private var emptyLines = 0
  private var bodyBytes: Int64 = 0

  /// - Parameter maximumBodyBytes: nil for no limit.
  init(maximumHeadBytes: Int, maximumBodyBytes: Int64?) {
    self.maximumHeadBytes = maximumHeadBytes
    self.maximumBodyBytes = maximumBodyBytes ?? .max
  }

  /// How many bytes wait to be pulled.
  var bufferedCount: Int { buffer.count - position }

  /// How much of the body is still to come, if the head said so.
  var remainingBodyLength: Int64? {
    if case .length(let remaining) = phase { remaining } else { nil }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if position == buffer.count {
      buffer.removeAll(keepingCapacity: true)
      position = 0
      resetSearch()
    } else if position > 16 * 1024, position > buffer.count / 2 {
      buffer.removeFirst(position)
      searched -= position
      lineFeed -= position
      position = 0
    }
    buffer.append(contentsOf: bytes)
  }

  /// Ends the parser's work: what it has not used is something else than HTTP.
  mutating func takeRest() -> [UInt8] {
    defer {
      buffer = []
      position = 0
      resetSearch()
    }
    return Array(buffer[position...])
  }

  /// The next event, nil when more bytes are needed.
  ///
  /// - Throws: what is wrong with the request. The connection cannot go on: every further call throws the same.
  mutating func next() throws(HTTPServerError) -> Event? {
    do throws(HTTPServerError) {
      switch phase {
      case .head: return try nextHead()
      case .length(let remaining): return nextPart(remaining)
      case .chunked(let chunks): return try nextChunk(chunks)
      case .failed(let error): throw error
      }
    } catch {
      phase = .failed(error)
      buffer = []
      position = 0
      throw error
    }
  }

  // MARK: - Head

  private mutating func nextHead() throws(HTTPServerError) -> Event? {
    guard try beginsHead() else { return nil }
    guard let end = try findEndOfHead() else {
      guard bufferedCount <= maximumHeadBytes else { throw headTooLarge }
      return nil
    }
    guard end - position <= maximumHeadBytes else { throw headTooLarge }
    let lines = position..<end - 2
    let head = try buffer.withUnsafeBufferPointer { bytes throws(HTTPServerError) in
      try RequestHeadParser.parse(UnsafeBufferPointer(rebasing: bytes[lines]))
    }
    position = end
    emptyLines = 0
    bodyBytes = 0
    switch head.framing {
    case .none: break
    case .length(let length):
      guard length <= maximumBodyBytes else { throw contentTooLarge }
      phase = .length(length)
    case .chunked: phase = .chunked(ChunkedBodyParser())
    }
    resetSearch()
    return .head(head)
  }

  /// Whether a request line has begun. Tolerates some empty lines before it (RFC 9112 §2.2), and refuses at once what
  /// cannot become a request.
  private mutating func beginsHead() throws(HTTPServerError) -> Bool {
    guard bufferedCount > 0 else { return false }
    while buffer[position] == .carriageReturn, emptyLines < Self.maximumEmptyLines {
      guard bufferedCount > 1 else { return false }
      guard buffer[position + 1] == .lineFeed else { throw .malformed("A carriage return stands alone.") }
      emptyLines += 1
      position += 2
      resetSearch()
      guard bufferedCount > 0 else { return false }
    }
    guard ByteSet.token.contains(buffer[position]) else { throw .malformed("The request method is not a token.") }
    return true
  }

  /// The position behind the head's final empty line.
  private mutating func findEndOfHead() throws(HTTPServerError) -> Int? {
    try buffer.withUnsafeBufferPointer { bytes throws(HTTPServerError) -> Int? in
      guard let base = bytes.baseAddress else { return nil }
      while searched < bytes.count {
        guard let found = memchr(base + searched, Int32(UInt8.lineFeed), bytes.count - searched) else {
          searched = bytes.count
          return nil
        }
        let index = UnsafeRawPointer(base).distance(to: UnsafeRawPointer(found))
        guard index > position, bytes[index - 1] == .carriageReturn else {
          throw .malformed("A line does not end with CRLF.")
        }
        searched = index + 1
        if index - lineFeed == 2 { return searched }
        lineFeed = index
      }
      return nil
    }
  }

  private mutating func resetSearch() {
    searched = position
    lineFeed = -1
  }

  private var headTooLarge: HTTPServerError {
    HTTPServerError(code: .headTooLarge, message: "The request's head is larger than \(maximumHeadBytes) bytes.")
  }

  // MARK: - Body

  private mutating func nextPart(_ remaining: Int64) -> Event? {
    guard remaining > 0 else {
      phase = .head
      return .end
    }
    guard bufferedCount > 0 else { return nil }
    let part = take(Int(min(Int64(bufferedCount), remaining)))
    phase = .length(remaining - Int64(part.count))
    return .body(part)
  }

  private mutating func nextChunk(_ chunks: ChunkedBodyParser) throws(HTTPServerError) -> Event? {
    var chunks = chunks
    let step = try chunks.next(in: buffer, at: &position)
    phase = .chunked(chunks)
    switch step {
    case .needsBytes:
      return nil
    case .end:
      phase = .head
      resetSearch()
      return .end
    case .data(let count):
      bodyBytes += Int64(count)
      guard bodyBytes <= maximumBodyBytes else { throw contentTooLarge }
      return .body(take(count))
    }
  }

  /// Moves bytes out of the buffer; the buffer itself, if that is all it holds.
  private mutating func take(_ count: Int) -> [UInt8] {
    defer { resetSearch() }
    if position == 0, count == buffer.count {
      defer { buffer = [] }
      return buffer
    }
    defer { position += count }
    return Array(buffer[position..<position + count])
  }

  private var contentTooLarge: HTTPServerError {
    HTTPServerError(code: .contentTooLarge, message: "The request's body is larger than \(maximumBodyBytes) bytes.")
  }
}
