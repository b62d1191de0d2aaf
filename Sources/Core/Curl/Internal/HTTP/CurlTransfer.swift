internal import CCurl
internal import SwiftwaterHTTP

/// One exchange on the engine's thread: configures the handle and answers libcurl's callbacks.
final class CurlTransfer {
  let exchange: Exchange
  let handle: EasyHandle
  var idle: IdleTimer
  private unowned let loop: CurlLoop
  private var head: ResponseHeadParser
  /// How much of a request body that is at hand has been sent.
  private var offset = 0
  private var isReceivingPaused = false
  private var isSendingPaused = false
  /// Why a callback has aborted the transfer.
  private var failure: HTTPError?
  private var hasBeenRepeated = false
  private var hasBeenSent = false
  /// The connection that libcurl has chosen for the request.
  private(set) var endpoints: KeptConnections.Endpoints?
  /// That connection must not be used.
  private var isConnectionStale = false
  /// Something arrived that nobody has been told of.
  private var hasNews = false

  init(exchange: Exchange, handle: EasyHandle, loop: CurlLoop) {
    self.exchange = exchange
    self.handle = handle
    self.loop = loop
    idle = IdleTimer(timeout: exchange.timeout)
    head = ResponseHeadParser(
      isHead: exchange.request.isHead, decodesContent: exchange.request.decodesContent)
    configure(loop.configuration)
  }

  /// What to tell the caller about libcurl's result.
  func outcome(of code: CURLcode) -> Result<Void, any Error> {
    if let failure { return .failure(failure) }
    guard code == CURLE_OK else {
      return .failure(HTTPError(code, detail: handle.errorMessage, hasBegun: handle.hasBegunTransfer))
    }
    return .success(())
  }

  /// Prepares to be sent once more, after a kept connection has broken without a byte of response, or was not fit to be
  /// used. Returns whether that is possible.
  ///
  /// libcurl does so itself with HTTP/1.1, but not with every way in which an HTTP/2 connection can end.
  func repeats(after code: CURLcode) -> Bool {
    if isConnectionStale {
      isConnectionStale = false
      return true
    }
    let isBroken = [CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2, CURLE_GOT_NOTHING].contains(
      code)
    guard isBroken, failure == nil, !hasBeenRepeated, !head.hasBegun, handle.hasReusedConnection,
      exchange.request.isIdempotent, seek(to: 0)
    else { return false }
    hasBeenRepeated = true
    isReceivingPaused = false
    isSendingPaused = false
    updateHold()
    idle.noteActivity(at: loop.now)
    return true
  }

  /// Tells the reader what has arrived in this round.
  func flush() {
    hasNews = false
    exchange.flush()
    // libcurl stops sending when the server answers with an error or closes, but a transfer that is paused at that
    // moment would never end (seen with 7.88): let it look again.
    if head.isComplete, isSendingPaused, loop.runs(self) { resumeSending() }
  }

  /// There is room for received bytes again.
  func resumeReceiving() {
    isReceivingPaused = false
    unpause()
  }

  /// There are bytes to send again.
  func resumeSending() {
    isSendingPaused = false
    unpause()
  }

  private func unpause() {
    idle.noteActivity(at: loop.now)
    updateHold()
    // What stays paused has to be said; the callbacks may run, and pause again, before this returns.
    curl_easy_pause(
      handle.pointer, (isReceivingPaused ? CURLPAUSE_RECV : 0) | (isSendingPaused ? CURLPAUSE_SEND : 0))
  }

  private func updateHold() {
    let isHeld = isReceivingPaused || isSendingPaused
    guard isHeld != idle.isHeld else { return }
    idle.isHeld = isHeld
    loop.noteHold(isHeld)
  }

  private func noteNews() {
    idle.noteActivity(at: loop.now)
    guard !hasNews else { return }
    hasNews = true
    loop.noteNews(of: self)
  }
}

// Called by libcurl, see CurlTransfer+Options.
extension CurlTransfer {
  /// The transfer has got a connection, or is setting one up.
  func connecting() { idle.noteStart(at: loop.now) }

  /// A connection is there, and the request is about to go out on it. Returns whether it may.
  func beginsRequest(on endpoints: KeptConnections.Endpoints) -> Bool {
    self.endpoints = endpoints
    guard !loop.hasUnread(endpoints) else {
      // libcurl closes the connection, since a callback has failed.
      isConnectionStale = true
      return false
    }
    // libcurl sends a request again when a kept connection ends without an answer, whatever its method.
    guard !hasBeenSent || exchange.request.isIdempotent || hasBeenRefused else {
      failure = HTTPError(
        kind: .connectionLost,
        message: "The connection ended before an answer came; the server may have acted on the request.")
      return false
    }
    hasBeenSent = true
    return true
  }

  /// Whether libcurl sends the request again because an HTTP/2 server has not begun with it: then it has no words, as it
  /// has for a broken connection.
  private var hasBeenRefused: Bool {
    let request = exchange.request
    return request.isSecure && !loop.speaksHTTP1(request.origin) && handle.errorMessage.isEmpty
  }

  /// A line of the head or of the trailer. Returns whether to go on.
  func receive(line: UnsafeRawBufferPointer) -> Bool {
    do throws(HTTPError) {
      if let head = try head.take(line) { exchange.response.receive(head) }
      noteNews()
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Bytes of the body. Returns what libcurl's write callback has to return.
  func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    switch exchange.response.receive(bytes) {
    case .taken:
      noteNews()
      return bytes.count
    case .full:
      isReceivingPaused = true
      updateHold()
      return Int(CURL_WRITEFUNC_PAUSE)
    case .refused:
      return Int(CURL_WRITEFUNC_ERROR)
    }
  }

  /// Fills a buffer with the next bytes of the request's body. Returns what libcurl's read callback has to return.
  func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    idle.noteActivity(at: loop.now)
    if case .bytes(let bytes) = exchange.request.content {
      let count = min(buffer.count, bytes.count - offset)
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
      offset += count
      return count
    }
    switch exchange.upload?.supply(buffer) {
    case .bytes(let count): return count
    case .end, nil: return 0
    case .wait:
      isSendingPaused = true
      updateHold()
      return Int(CURL_READFUNC_PAUSE)
    }
  }

  /// Goes back to a place in the request's body, so that it can be sent again. Returns whether that is possible.
  func seek(to position: Int) -> Bool {
    switch exchange.request.content {
    case .bytes(let bytes):
      guard (0...bytes.count).contains(position) else { return false }
      offset = position
      return true
    case .stream: return position == 0 && exchange.rewindUpload()
    case .none: return position == 0
    }
  }
}
