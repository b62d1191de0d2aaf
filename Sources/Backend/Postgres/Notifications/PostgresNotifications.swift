internal import CPostgres
internal import SwiftwaterEventLoop

/// What is told on some channels of a database (`LISTEN`, `NOTIFY`), over a connection of its own.
///
///     for try await notification in PostgresNotifications("postgresql:///app", channels: ["jobs"]) {
///       if case .message(_, let payload) = notification { print(payload) }
///     }
///
/// Each iteration connects anew, begins with `.listening`, and ends with a `PostgresError` when the connection is lost;
/// start another to go on. Cancelling the task ends it without an error and closes the connection, and so does leaving
/// the loop. What is told while nobody iterates waits in memory.
public struct PostgresNotifications: AsyncSequence, Sendable {
  private let connection: String
  private let channels: [String]

  /// What will be told on these channels.
  ///
  /// - Parameters:
  ///   - connection: a libpq connection string.
  ///   - channels: their names, as they are; at least one.
  public init(_ connection: String, channels: [String]) {
    self.connection = connection
    self.channels = channels
  }

  /// Connects and listens.
  public func makeAsyncIterator() -> AsyncThrowingStream<PostgresNotification, any Error>.Iterator {
    AsyncThrowingStream { continuation in
      do {
        let listener = try Listener(connection, channels: channels, continuation)
        continuation.onTermination = { _ in listener.stop() }
        listener.start()
      } catch {
        continuation.finish(throwing: error)
      }
    }.makeAsyncIterator()
  }
}

/// The connection of one iteration.
// @unchecked: everything but the constants is touched on the loop's thread only.
private final class Listener: LinkOwner, @unchecked Sendable {
  private static let connectTimeout = Duration.seconds(10)

  private let loop: EventLoop
  private let connection: String
  /// Set by `start`.
  private var link: Link?
  private let channels: [String]
  private let continuation: AsyncThrowingStream<PostgresNotification, any Error>.Continuation
  private var isListening = false
  private var error: PostgresError?

  init(
    _ connection: String, channels: [String],
    _ continuation: AsyncThrowingStream<PostgresNotification, any Error>.Continuation
  ) throws(PostgresError) {
    guard !channels.isEmpty else {
      throw PostgresError(.invalidConfiguration, "name at least one channel to listen to")
    }
    do throws(SystemError) {
      loop = try EventLoop(name: "postgres-listen")
    } catch {
      throw PostgresError(.unavailable, "\(error)")
    }
    self.connection = connection
    self.channels = channels
    self.continuation = continuation
  }

  /// On the loop's thread, since libpq may look up a host's name.
  func start() {
    loop.perform {
      do throws(PostgresError) {
        let link = try Link(to: self.connection, loop: self.loop, deadline: .now + Self.connectTimeout)
        self.link = link
        link.owner = self
        link.start()
      } catch {
        self.linkFailed(error)
      }
    }
  }

  func stop() {
    loop.perform {
      self.link?.close()
      self.loop.stop()
    }
  }

  func linkOpened() {
    guard let link else { return }
    let sql = channels.map { "LISTEN \(quotedIdentifier($0))" }.joined(separator: "; ")
    guard PQsendQuery(link.connection, sql) == 1 else { return link.fail(.connectionFailed) }
    link.flush()
  }

  func linkReadable() {
    guard let link else { return }
    let isAlive = PQconsumeInput(link.connection) == 1
    while PQisBusy(link.connection) == 0, let result = PQgetResult(link.connection) {
      if PQresultStatus(result) != PGRES_COMMAND_OK { error = error ?? PostgresError(result: result, sql: nil) }
      PQclear(result)
    }
    if let error {
      link.close()
      return linkFailed(error)
    }
    if !isListening, PQisBusy(link.connection) == 0 {
      isListening = true
      continuation.yield(.listening)
    }
    while let told = PQnotifies(link.connection) {
      let message = PostgresNotification.message(
        channel: String(cString: told.pointee.relname), payload: String(cString: told.pointee.extra))
      PQfreemem(told)
      continuation.yield(message)
    }
    if !isAlive { link.fail(.connectionFailed) }
  }

  func linkFailed(_ error: PostgresError) {
    continuation.finish(throwing: error)
  }

  func linkTick(_ now: ContinuousClock.Instant) {}
}
