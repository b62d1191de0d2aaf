internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

extension RESTService {
  /// Keeps what is known of the database up to date until the task is cancelled: reads it again when somebody says
  /// `NOTIFY pgrst, 'reload schema'` or an event trigger does, and after the connection was lost.
  ///
  /// - Parameters:
  ///   - connection: how to reach the database, as a libpq connection string.
  ///   - clock: times the attempts to connect again.
  public func watchSchema(connection: String, clock: any Clock<Duration> = ContinuousClock()) async {
    let backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
    var failures = 0
    while !Task.isCancelled {
      do {
        for try await notification in PostgresNotifications(connection, channels: [Self.channel]) {
          switch notification {
          case .listening:
            // Something may have changed while nobody listened.
            failures = 0
            reloadSchema()
          case .message(_, let payload):
            if payload.isEmpty || payload == "reload schema" || payload == "reload config" { reloadSchema() }
          }
        }
      } catch {
        failures += 1
      }
      try? await clock.sleep(for: backoff.delay(afterFailure: max(1, failures), draw: Double.random(in: 0..<1)))
    }
  }

  /// The channel that PostgREST listens on (`db-channel`).
  private static let channel = "pgrst"
}
