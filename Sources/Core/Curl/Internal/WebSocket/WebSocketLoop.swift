internal import CCurl
internal import SwiftwaterSockets

/// The loop on the WebSockets' thread, which alone touches what is in here.
final class WebSocketLoop {
  /// How often deadlines and keepalive are looked at.
  private static let tickInterval: Duration = .milliseconds(250)

  private let engine: WebSocketEngine
  private let multi: UnsafeMutableRawPointer
  private let configuration: CurlTransport.Configuration
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
  private var sockets: [ObjectIdentifier: CurlWebSocket] = [:]
  private var connectingCount = 0
  /// The time of this round.
  private var now: ContinuousClock.Instant
  private var nextTick: ContinuousClock.Instant
  private let clock: () -> ContinuousClock.Instant
  /// What is waited for in this round, and whose it is.
  private var waits: [curl_waitfd] = []
  private var waiting: [CurlWebSocket] = []

  /// - Parameter clock: tells the time.
  init(
    engine: WebSocketEngine, multi: UnsafeMutableRawPointer, configuration: CurlTransport.Configuration,
    clock: @escaping () -> ContinuousClock.Instant
  ) {
    self.engine = engine
    self.multi = multi
    self.configuration = configuration
    self.clock = clock
    now = clock()
    nextTick = now
    // WebSockets are few, and the server's limits count.
    swiftwater_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 0)
  }

  deinit { buffer.deallocate() }

  /// Runs until it is told to stop.
  func run() {
    while true {
      now = clock()
      guard handle(engine.takeCommands()) else { return }
      guard connect() else { return }
      tickIfDue()
      guard wait() else { return }
      now = clock()
      for (socket, wait) in zip(waiting, waits) where wait.revents != 0 || socket.hasUnread {
        if Int32(wait.revents) & CURL_WAIT_POLLOUT != 0 { socket.write() }
        if Int32(wait.revents) & ~CURL_WAIT_POLLOUT != 0 || socket.hasUnread { socket.read(into: buffer, at: now) }
        removeIfClosed(socket)
      }
    }
  }

  /// Ends what is left.
  func close() {
    for socket in sockets.values {
      let code = socket.isOpen ? WebSocketError.Code.connectionLost : .connectionFailed
      socket.close(WebSocketError(code: code, message: "The transport has been shut down."))
      removeIfClosed(socket)
    }
    noteCounts()
  }

  /// Returns whether to go on. What comes behind `stop` is begun all the same, so that it is failed like the rest.
  private func handle(_ commands: [WebSocketEngine.Command]) -> Bool {
    var goesOn = true
    for command in commands {
      switch command {
      case .open(let link): open(link)
      case .write(let link): withSocket(of: link) { $0.write() }
      case .read(let link): withSocket(of: link) { $0.resumeReading(into: buffer, at: now) }
      case .close(let link): withSocket(of: link) { $0.close(nil) }
      case .stop: goesOn = false
      }
    }
    return goesOn
  }

  private func withSocket(of link: WebSocketClientLink, _ body: (CurlWebSocket) -> Void) {
    guard let socket = sockets[ObjectIdentifier(link)] else { return }
    body(socket)
    removeIfClosed(socket)
  }

  private func open(_ link: WebSocketClientLink) {
    guard !link.isSettled else { return }
    guard let handle = EasyHandle() else {
      return link.fail(WebSocketError(code: .connectionFailed, message: "Memory is short."))
    }
    let socket = CurlWebSocket(link: link, handle: handle, configuration: configuration, now: now)
    if let refusal = handle.refusal {
      return link.fail(WebSocketError(refusal, detail: "This libcurl cannot do what is configured"))
    }
    sockets[ObjectIdentifier(link)] = socket
    connectingCount += 1
    handle.set(CURLOPT_PRIVATE, Unmanaged.passUnretained(socket).toOpaque())
    curl_multi_add_handle(multi, handle.pointer)
  }

  /// Lets libcurl go on with the connections that are being set up. Returns whether that is possible.
  private func connect() -> Bool {
    guard connectingCount > 0 else { return true }
    var running: Int32 = 0
    guard curl_multi_perform(multi, &running) == CURLM_OK else { return false }
    forEachFinished(in: multi) { (socket: CurlWebSocket, code) in
      connectingCount -= 1
      socket.connected(code)
      removeIfClosed(socket)
    }
    return true
  }

  private func tickIfDue() {
    guard !sockets.isEmpty, now >= nextTick else { return }
    nextTick = now + Self.tickInterval
    for socket in sockets.values {
      socket.tick(now)
      removeIfClosed(socket)
    }
  }

  /// Waits for the sockets, a command, or the next tick. Returns whether that is possible.
  private func wait() -> Bool {
    waits.removeAll(keepingCapacity: true)
    waiting.removeAll(keepingCapacity: true)
    var hasUnread = false
    noteCounts()
    for socket in sockets.values {
      guard let wait = socket.wait else { continue }
      waits.append(wait)
      waiting.append(socket)
      hasUnread = hasUnread || socket.hasUnread
    }
    let time = hasUnread ? 0 : sockets.isEmpty ? Int32.max : Int32((nextTick - now).wholeMilliseconds)
    return waits.withUnsafeMutableBufferPointer { waits in
      curl_multi_poll(multi, waits.baseAddress, UInt32(waits.count), time, nil) == CURLM_OK
    }
  }

  private func removeIfClosed(_ socket: CurlWebSocket) {
    guard socket.isClosed, sockets.removeValue(forKey: ObjectIdentifier(socket.link)) != nil else { return }
    if !socket.hasConnected { connectingCount -= 1 }
    // For a handle of this kind that closes the connection.
    curl_multi_remove_handle(multi, socket.handle.pointer)
  }

  private func noteCounts() {
    engine.setCounts(live: sockets.count, held: sockets.values.count(where: \.isReadingPaused))
  }
}
