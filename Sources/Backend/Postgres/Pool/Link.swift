internal import CPostgres
internal import SwiftwaterEventLoop

/// What a `Link` reports, always on the loop's thread.
protocol LinkOwner: AnyObject {
  /// The server has let us in.
  func linkOpened()
  /// libpq has bytes to consume.
  func linkReadable()
  /// The connection was not made or has been lost. The link is closed.
  func linkFailed(_ error: PostgresError)
  /// Time passes.
  func linkTick(_ now: ContinuousClock.Instant)
}

/// One libpq connection on an event loop: opens it, watches its socket, flushes what libpq has buffered.
// @unchecked: everything is touched on the loop's thread only.
final class Link: EventHandler, @unchecked Sendable {
  /// libpq's connection; not to be used after `close`.
  let connection: OpaquePointer
  weak var owner: (any LinkOwner)?
  /// While set, nothing is read; `flush` lets it take effect.
  var isPaused = false
  private let loop: EventLoop
  private let deadline: ContinuousClock.Instant
  private var registration: EventLoop.Registration?
  private var interest: EventInterest = []
  private var isOpen = false
  private var isClosed = false
  /// The owner's first words to the server belong to connecting, whose deadline holds for them, too.
  var isSettingUp = false

  /// Begins to connect. libpq looks host names up here, which blocks the loop.
  init(
    to connectionString: String, loop: EventLoop, deadline: ContinuousClock.Instant
  ) throws(PostgresError) {
    try Self.check(connectionString)
    // A later keyword wins over the connection string; "fallback_" ones yield to it.
    let keywords = ["dbname", "client_encoding", "fallback_application_name"]
    let values = [connectionString, "UTF8", "swiftwater"]
    let started = withCStrings(keywords) { keywords in
      withCStrings(values) { values in
        PQconnectStartParams(keywords.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1)
      }
    }
    guard let started else { throw PostgresError(.unavailable, "libpq has no memory for a connection") }
    PQsetNoticeReceiver(started, { _, _ in }, nil)
    guard PQstatus(started) != CONNECTION_BAD else {
      let error = PostgresError(.unavailable, connection: started)
      PQfinish(started)
      throw error
    }
    connection = started
    self.loop = loop
    self.deadline = deadline
  }

  deinit {
    close()
  }

  /// libpq quotes a string that it cannot read, with the password in it: so we say it in our own words.
  static func check(_ connectionString: String) throws(PostgresError) {
    var message: UnsafeMutablePointer<CChar>?
    let options = connectionString.containsZeroByte ? nil : PQconninfoParse(connectionString, &message)
    PQfreemem(message)
    guard let options else {
      throw PostgresError(
        .invalidConfiguration,
        "not a connection string: write postgresql://user@host/database or host=… user=… dbname=…")
    }
    PQconninfoFree(options)
  }

  /// Whether connecting asks for addresses of names other than `localhost`.
  static func looksUpNames(_ connectionString: String) -> Bool {
    guard let options = PQconninfoParse(connectionString, nil) else { return false }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    guard values["hostaddr"] == nil, let hosts = values["host"] else { return false }
    return !hosts.split(separator: ",").allSatisfy { host in
      host == "localhost" || host.hasPrefix("/") || host.contains(":")
        || host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    }
  }

  /// Goes on connecting; call it once, after `owner` is set.
  func start() {
    watch(.writable)
  }

  /// Sends what libpq has buffered, now and whenever the socket has room again.
  func flush() {
    guard !isClosed else { return }
    let remaining = PQflush(connection)
    if remaining < 0 { return fail(.connectionFailed) }
    var interest: EventInterest = isPaused ? [] : .readable
    if remaining > 0 { interest.insert(.writable) }
    watch(interest)
  }

  /// Closes the connection and the socket; the owner hears no more.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    unwatch()
    PQfinish(connection)
  }

  /// Closes the connection and tells the owner libpq's reason.
  func fail(_ code: PostgresError.Code) {
    guard !isClosed else { return }
    fail(PostgresError(code, connection: connection))
  }

  func ready(_ events: EventInterest) {
    guard !isClosed else { return }
    if !isOpen { return proceed() }
    if events.contains(.writable) { flush() }
    if events.contains(.readable), !isClosed { owner?.linkReadable() }
  }

  func tick(_ now: ContinuousClock.Instant) {
    guard !isClosed else { return }
    if !isOpen || isSettingUp, now >= deadline {
      fail(PostgresError(.unavailable, "PostgreSQL did not answer in time"))
    } else {
      owner?.linkTick(now)
    }
  }

  private func proceed() {
    // libpq may go on with another socket (the next host or address), even one of the same number.
    unwatch()
    switch PQconnectPoll(connection) {
    case PGRES_POLLING_READING:
      watch(.readable)
    case PGRES_POLLING_WRITING:
      watch(.writable)
    case PGRES_POLLING_OK:
      isOpen = true
      PQsetnonblocking(connection, 1)
      watch(.readable)
      if !isClosed { owner?.linkOpened() }
    default:
      fail(.unavailable)
    }
  }

  private func watch(_ interest: EventInterest) {
    if let registration {
      if interest != self.interest { loop.update(registration, to: interest) }
      self.interest = interest
      return
    }
    do throws(SystemError) {
      registration = try loop.register(PQsocket(connection), for: interest, handler: self)
      self.interest = interest
    } catch {
      fail(PostgresError(.unavailable, "\(error)"))
    }
  }

  private func unwatch() {
    guard let registration else { return }
    loop.remove(registration)
    self.registration = nil
  }

  private func fail(_ error: PostgresError) {
    close()
    owner?.linkFailed(error)
  }
}
