internal import CCurl
internal import SwiftwaterHTTP
internal import SwiftwaterSockets

/// One WebSocket on the engine's thread: has libcurl connect, shakes hands, then moves bytes between libcurl and the
/// channel.
final class CurlWebSocket {
  private enum Phase {
    case connecting
    case shakingHands(WebSocketResponseParser)
    /// The server has refused; what it says is read for the error.
    case refused(WebSocketError, RefusalBody)
    case open(WebSocketChannel)
    case closed
  }

  /// How many times in a row bytes are read, and written, before the other sockets get their turn.
  private static let readsPerTurn = 16
  private static let writesPerTurn = 64
  /// How long an opening may take if the request has no timeout.
  private static let openingTimeout: Duration = .seconds(60)
  /// How long a refusing server's words are waited for.
  private static let refusalTimeout: Duration = .seconds(1)

  let link: WebSocketClientLink
  let handle: EasyHandle
  private(set) var hasConnected = false
  /// Bytes may have been left behind that no event will tell of.
  private(set) var hasUnread = false
  private var phase = Phase.connecting
  private var descriptor = curl_socket_t(-1)
  private var deadline: ContinuousClock.Instant
  private(set) var isReadingPaused = false
  /// The connection's end has been seen while nothing is read, and would be seen again and again.
  private var hasHungUp = false
  /// What is being written.
  private var output: [UInt8] = []
  private var outputOffset = 0

  init(
    link: WebSocketClientLink, handle: EasyHandle, configuration: CurlTransport.Configuration,
    now: ContinuousClock.Instant
  ) {
    self.link = link
    self.handle = handle
    let request = link.handshake.request
    deadline = now + (request.timeout ?? Self.openingTimeout)
    handle.configure(configuration)
    handle.set(CURLOPT_URL, "\(request.scheme ?? "")://\(request.authority ?? "")/")
    handle.set(CURLOPT_CONNECT_ONLY, 1)
    // Over TLS, too: HTTP/2 opens WebSockets in another way (RFC 8441), which libcurl does not offer.
    handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    // A proxy is to pass bytes on, whatever they are.
    handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    handle.set(CURLOPT_FRESH_CONNECT, 1)
  }

  var isOpen: Bool {
    if case .open = phase { true } else { false }
  }

  var isClosed: Bool {
    if case .closed = phase { true } else { false }
  }

  /// What to wait for; nil while libcurl connects.
  var wait: curl_waitfd? {
    guard hasConnected, !isClosed, !hasHungUp else { return nil }
    var events: Int32 = 0
    if !isReadingPaused { events |= CURL_WAIT_POLLIN }
    if outputOffset < output.count { events |= CURL_WAIT_POLLOUT }
    return curl_waitfd(fd: descriptor, events: Int16(events), revents: 0)
  }

  /// libcurl has connected, or has not been able to.
  func connected(_ code: CURLcode) {
    hasConnected = true
    guard code == CURLE_OK, let descriptor = handle.socket else {
      return close(WebSocketError(code, detail: handle.errorMessage))
    }
    self.descriptor = descriptor
    phase = .shakingHands(WebSocketResponseParser())
    output = link.handshake.requestBytes
    write()
  }

  /// Ends the connection.
  ///
  /// - Parameter error: why; nil for a plain end.
  func close(_ error: WebSocketError?) {
    let former = phase
    phase = .closed
    switch former {
    case .connecting, .shakingHands:
      link.fail(error ?? WebSocketError(code: .connectionFailed, message: "The server closed the connection."))
    case .refused(let refusal, let body):
      link.fail(body.excerpt.map { refusal.appending($0) } ?? refusal)
    case .open(let channel):
      var reaction = WebSocketReaction()
      channel.linkClosed(error, &reaction)
      reaction.wake()
    case .closed: break
    }
  }

  /// Does what is due.
  func tick(_ now: ContinuousClock.Instant) {
    if case .open(let channel) = phase {
      var reaction = WebSocketReaction()
      _ = channel.tick(now, &reaction)
      perform(reaction)
    } else if now >= deadline {
      close(WebSocketError(code: .timeout, message: "The WebSocket did not open in time; the server does not answer."))
    }
  }

  /// There is room for input again.
  func resumeReading(into buffer: UnsafeMutableRawBufferPointer, at now: ContinuousClock.Instant) {
    if case .open(let channel) = phase, channel.isReadingPaused { return }
    isReadingPaused = false
    hasHungUp = false
    read(into: buffer, at: now)
  }

  /// Reads what is there, up to a limit.
  func read(into buffer: UnsafeMutableRawBufferPointer, at now: ContinuousClock.Instant) {
    hasUnread = false
    guard hasConnected else { return }
    if isReadingPaused {
      hasHungUp = true
      return
    }
    for _ in 0..<Self.readsPerTurn {
      guard !isReadingPaused, !isClosed else { return }
      var count = 0
      let code = curl_easy_recv(handle.pointer, buffer.baseAddress, buffer.count, &count)
      if code == CURLE_AGAIN { return }
      guard code == CURLE_OK, count > 0 else { return close(code == CURLE_OK ? nil : lost(code)) }
      receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now)
    }
    hasUnread = true
  }

  /// Writes what there is, until the network takes no more, or the other sockets are to get their turn.
  func write() {
    for _ in 0..<Self.writesPerTurn {
      guard hasConnected, !isClosed, outputOffset < output.count || takeOutput() else { return }
      var count = 0
      let code = output.withUnsafeBytes { bytes in
        let rest = bytes[outputOffset...]
        return curl_easy_send(handle.pointer, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, &count)
      }
      if code == CURLE_AGAIN { return }
      guard code == CURLE_OK else { return close(lost(code)) }
      outputOffset += count
    }
    // What is at hand is waited for like output that the network has not taken.
    if outputOffset == output.count { _ = takeOutput() }
  }

  private func takeOutput() -> Bool {
    output = []
    outputOffset = 0
    guard case .open(let channel) = phase else { return false }
    var reaction = WebSocketReaction()
    output = channel.takeOutput(&reaction) ?? []
    // Output that is told of here is what the next round of `write` takes.
    reaction.hasOutput = false
    perform(reaction)
    return !output.isEmpty
  }

  private func receive(_ bytes: UnsafeRawBufferPointer, at now: ContinuousClock.Instant) {
    switch phase {
    case .connecting, .closed: break
    case .shakingHands(var parser):
      do throws(WebSocketError) {
        let answer = try parser.take(bytes)
        phase = .shakingHands(parser)
        if let answer { try receive(answer.response, rest: answer.rest, at: now) }
      } catch {
        close(error)
      }
    case .refused(let error, var body):
      body.append(bytes)
      phase = .refused(error, body)
      if body.isComplete { close(nil) }
    case .open(let channel):
      var reaction = WebSocketReaction()
      channel.received(bytes, at: now, &reaction)
      perform(reaction)
    }
  }

  /// The head of the response to the handshake is complete.
  private func receive(
    _ response: HTTPResponse, rest: [UInt8], at now: ContinuousClock.Instant
  ) throws(WebSocketError) {
    do throws(WebSocketError) {
      let agreement = try link.handshake.accept(response)
      let channel = WebSocketChannel(
        role: .client, agreement: agreement, configuration: link.configuration, link: link, now: now)
      phase = .open(channel)
      link.succeed(with: channel.makeConnection())
    } catch  where error.code == .refused {
      deadline = min(deadline, now + Self.refusalTimeout)
      let body = RefusalBody(response)
      phase = .refused(error, body)
      if body.isComplete { return close(nil) }
    }
    rest.withUnsafeBytes { if !$0.isEmpty { receive($0, at: now) } }
  }

  private func perform(_ reaction: WebSocketReaction) {
    if reaction.pausesReading { isReadingPaused = true } else if reaction.resumesReading { isReadingPaused = false }
    if reaction.hasOutput { write() }
    if reaction.closesLink { close(nil) }
    reaction.wake()
  }

  private func lost(_ code: CURLcode) -> WebSocketError {
    WebSocketError(code: .connectionLost, message: HTTPError(code, detail: handle.errorMessage, hasBegun: true).message)
  }
}

extension WebSocketError {
  fileprivate func appending(_ excerpt: String) -> WebSocketError {
    WebSocketError(code: code, message: "\(message) It said: \(excerpt)", status: status)
  }
}
