internal import CCurl
internal import SwiftwaterHTTP

/// The loop on the engine's thread, which alone touches what is in here.
final class CurlLoop {
  /// How many idle handles are kept for later transfers.
  private static let spareLimit = 32

  let configuration: CurlTransport.Configuration
  /// The time of this round.
  private(set) var now: ContinuousClock.Instant
  private let clock: () -> ContinuousClock.Instant
  private unowned let engine: CurlEngine
  private let multi: UnsafeMutableRawPointer
  private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
  /// How many of them wait for our own side.
  private var heldCount = 0
  private var spareHandles: [EasyHandle] = []
  /// Transfers that have something to tell at the end of the round.
  private var withNews: [CurlTransfer] = []
  private var keptConnections = KeptConnections()
  /// Where the last answer has come in HTTP/1.
  private var originsOfHTTP1: Set<String> = []
  /// Before this moment no transfer can have been idle for too long.
  private var nextIdleCheck: ContinuousClock.Instant?

  /// - Parameter clock: tells the time.
  init(
    engine: CurlEngine, multi: UnsafeMutableRawPointer, configuration: CurlTransport.Configuration,
    clock: @escaping () -> ContinuousClock.Instant
  ) {
    self.engine = engine
    self.multi = multi
    self.configuration = configuration
    self.clock = clock
    now = clock()
    swiftwater_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maximumConnectionsPerHost)
    swiftwater_curl_multi_set_long(
      multi, CURLMOPT_MAX_CONCURRENT_STREAMS, configuration.maximumStreamsPerConnection)
  }

  /// Runs until it is told to stop.
  func run() {
    while true {
      now = clock()
      guard handle(engine.takeCommands()) else { return }
      var running: Int32 = 0
      guard curl_multi_perform(multi, &running) == CURLM_OK else { return }
      finishTransfers()
      tellNews()
      failIdleTransfers()
      // A command that has come in meanwhile makes this return at once.
      guard curl_multi_poll(multi, nil, 0, millisecondsToSleep, nil) == CURLM_OK else { return }
    }
  }

  /// Ends what is left.
  func close(failing error: HTTPError) {
    for transfer in transfers.values { end(transfer, .failure(error)) }
    spareHandles = []
  }

  func noteNews(of transfer: CurlTransfer) { withNews.append(transfer) }

  /// A transfer has begun, or stopped, to wait for our own side.
  func noteHold(_ isHeld: Bool) {
    heldCount += isHeld ? 1 : -1
    noteCounts()
  }

  private func noteCounts() { engine.setCounts(live: transfers.count, held: heldCount) }

  func speaksHTTP1(_ origin: String) -> Bool { originsOfHTTP1.contains(origin) }

  /// Whether the server has said something on a kept connection, or ended it, without being asked.
  func hasUnread(_ connection: KeptConnections.Endpoints) -> Bool { keptConnections.hasUnread(connection) }

  private func noteConnection(of transfer: CurlTransfer) {
    guard transfer.handle.hasSpokenHTTP1, let endpoints = transfer.endpoints else { return }
    if !keptConnections.knows(endpoints) { keptConnections.note(endpoints, transfer.handle.socket) }
  }

  private func noteVersion(of transfer: CurlTransfer) {
    let request = transfer.exchange.request
    guard request.isSecure else { return }
    if transfer.handle.hasSpokenHTTP1 {
      // A program that visits so many places forgets about the earlier ones.
      if originsOfHTTP1.count >= 1000 { originsOfHTTP1 = [] }
      originsOfHTTP1.insert(request.origin)
    } else {
      originsOfHTTP1.remove(request.origin)
    }
  }

  /// Returns whether to go on. What comes behind `stop` is begun all the same, so that it is failed like the rest.
  private func handle(_ commands: [CurlEngine.Command]) -> Bool {
    var goesOn = true
    for command in commands {
      switch command {
      case .start(let exchange): start(exchange)
      case .cancel(let exchange): transfer(of: exchange).map(release)
      case .resumeReceiving(let exchange): transfer(of: exchange)?.resumeReceiving()
      case .resumeSending(let exchange): transfer(of: exchange)?.resumeSending()
      case .stop: goesOn = false
      }
    }
    return goesOn
  }

  /// Whether the transfer has not ended; afterwards its handle may be another one's.
  func runs(_ transfer: CurlTransfer) -> Bool { self.transfer(of: transfer.exchange) === transfer }

  private func transfer(of exchange: Exchange) -> CurlTransfer? { transfers[ObjectIdentifier(exchange)] }

  private func start(_ exchange: Exchange) {
    guard !exchange.response.hasEnded else { return }
    guard let handle = spareHandles.popLast() ?? EasyHandle() else {
      return exchange.finish(.failure(HTTPError(kind: .connectionFailed, message: "Memory is short.")))
    }
    let transfer = CurlTransfer(exchange: exchange, handle: handle, loop: self)
    if let refusal = handle.refusal {
      handle.reset()
      spareHandles.append(handle)
      return exchange.finish(
        .failure(HTTPError(refusal, detail: "This libcurl cannot do what is configured", hasBegun: false)))
    }
    transfers[ObjectIdentifier(exchange)] = transfer
    noteCounts()
    scheduleIdleCheck(transfer.idle.deadline(at: now))
    curl_multi_add_handle(multi, handle.pointer)
  }

  private func finishTransfers() {
    forEachFinished(in: multi) { (transfer: CurlTransfer, code) in
      if transfer.repeats(after: code) {
        curl_multi_remove_handle(multi, transfer.handle.pointer)
        curl_multi_add_handle(multi, transfer.handle.pointer)
      } else {
        if code == CURLE_OK {
          noteVersion(of: transfer)
          noteConnection(of: transfer)
        }
        finish(transfer, transfer.outcome(of: code))
      }
    }
  }

  /// Ends a transfer, and if it has got no connection, those that have waited for it.
  private func finish(_ transfer: CurlTransfer, _ outcome: Result<Void, any Error>) {
    let hasConnected = transfer.handle.hasBegunTransfer
    end(transfer, outcome)
    if case .failure(let error) = outcome, !hasConnected { endThoseWaiting(with: transfer, error) }
  }

  /// Ends the transfers that have waited for a connection that did not come about, unless another one is there or being
  /// set up. They would try one after the other, each for the whole of the connect timeout. What was only too long for
  /// this transfer's own timeout may not be too long for them.
  private func endThoseWaiting(with failed: CurlTransfer, _ error: any Error) {
    let sharing = transfers.values.filter { $0.exchange.request.origin == failed.exchange.request.origin }
    guard !sharing.contains(where: \.idle.hasStarted) else { return }
    let isOwnTimeout = (error as? HTTPError)?.kind == .timeout
    for transfer in sharing where !isOwnTimeout || transfer.idle.isNoMorePatient(than: failed.idle) {
      end(transfer, .failure(error))
    }
  }

  private func tellNews() {
    // Telling it last lets a small response arrive whole: one wake-up of its reader for head, body and end.
    while let transfer = withNews.popLast() { transfer.flush() }
  }

  private func end(_ transfer: CurlTransfer, _ result: Result<Void, any Error>) {
    release(transfer)
    transfer.exchange.finish(result)
  }

  private func release(_ transfer: CurlTransfer) {
    // One that fails can take others along.
    guard transfers.removeValue(forKey: ObjectIdentifier(transfer.exchange)) != nil else { return }
    if transfer.idle.isHeld { heldCount -= 1 }
    noteCounts()
    curl_multi_remove_handle(multi, transfer.handle.pointer)
    transfer.handle.reset()
    if spareHandles.count < Self.spareLimit { spareHandles.append(transfer.handle) }
  }

  private func failIdleTransfers() {
    guard let due = nextIdleCheck, due <= now else { return }
    nextIdleCheck = nil
    for transfer in transfers.values {
      guard let deadline = transfer.idle.deadline(at: now) else { continue }
      if deadline > now {
        scheduleIdleCheck(deadline)
      } else {
        let time = transfer.idle.timeout.map { "\($0)" } ?? "its timeout"
        finish(transfer, .failure(HTTPError(kind: .timeout, message: "Nothing arrived or left for \(time) (timeout).")))
      }
    }
  }

  private func scheduleIdleCheck(_ deadline: ContinuousClock.Instant?) {
    guard let deadline else { return }
    nextIdleCheck = min(nextIdleCheck ?? deadline, deadline)
  }

  /// libcurl shortens this for timers of its own.
  private var millisecondsToSleep: Int32 {
    guard let nextIdleCheck else { return Int32.max }
    return Int32((nextIdleCheck - now).wholeMilliseconds)
  }
}
