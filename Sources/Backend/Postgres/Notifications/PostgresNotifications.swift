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

  /// - Parameters:
  ///   - connection: a libpq connection string.
  ///   - channels: their names, as they are.
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
  private let link: Link
  private let channels: [String]
  private let continuation: AsyncThrowingStream<PostgresNotification, any Error>.Continuation
  private var isListening = false
  private var error: PostgresError?

  init(
    _ connection: String, channels: [String],
    _ continuation: AsyncThrowingStream<PostgresNotification, any Error>.Continuation
  ) throws(PostgresError) {
    do throws(SystemError) {
      loop = try EventLoop(name: "postgres-listen")
    } catch {
      throw PostgresError(.unavailable, "\(error)")
    }
    self.channels = channels
    self.continuation = continuation
    do throws(PostgresError) {
      link = try Link(to: connection, loop: loop, deadline: .now + Self.connectTimeout)
    } catch {
      loop.stop()
      throw error
    }
    link.owner = self
  }

  func start() {
    loop.perform { self.link.start() }
  }

  func stop() {
    loop.perform {
      self.link.close()
      self.loop.stop()
    }
  }

  func linkOpened() {
    let quoted = channels.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let sql = quoted.map { "LISTEN \($0)" }.joined(separator: "; ")
    guard PQsendQuery(link.connection, sql) == 1 else { return link.fail(.connectionFailed) }
    link.flush()
  }

  func linkReadable() {
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
