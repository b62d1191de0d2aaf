import PostgresTestSupport
import SwiftwaterPostgres
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("What is told by NOTIFY")
struct NotificationTests {
  @Test("What is told arrives in order, whatever the channel's name, and leaving the loop ends the connection")
  func delivery() async throws {
    try await SharedCluster.withDatabase { url in
      let pool = try PostgresPool(url)
      let channel = "a \"b\"\u{301}; x"
      var received: [PostgresNotification] = []
      for try await notification in PostgresNotifications(url, channels: ["other", channel]) {
        received.append(notification)
        if notification == .listening {
          for number in 0..<3 { try await pool.query("select pg_notify(\(channel), \(number)::text)") }
        }
        if received.count == 4 { break }
      }
      #expect(
        received == [.listening] + (0..<3).map { .message(channel: channel, payload: "\($0)") })
      #expect(
        try await eventually {
          try await pool.query(
            "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
          ).rowCount == 0
        })
      await pool.close()
    }
  }

  @Test("A lost connection ends it with an error, a cancelled task without one")
  func ends() async throws {
    try await SharedCluster.withDatabase { url in
      let pool = try PostgresPool(url)
      let error = await #expect(throws: PostgresError.self) {
        for try await notification in PostgresNotifications(url, channels: ["c"]) where notification == .listening {
          try await pool.query(
            """
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()
            """)
        }
      }
      #expect(error?.code == .connectionFailed)
      let isListening = LockIsolated(false)
      let task = Task {
        for try await _ in PostgresNotifications(url, channels: ["c"]) { isListening.withLock { $0 = true } }
      }
      #expect(await eventually { isListening.value })
      task.cancel()
      try await task.value
      await pool.close()
    }
  }

  @Test("What cannot be listened to is told, without the connection's password")
  func refusals() async throws {
    for (connection, channels) in [("postgresql:///x?host=/nowhere", []), ("password=s3cret nonsense", ["c"])] {
      let error = await #expect(throws: PostgresError.self) {
        for try await _ in PostgresNotifications(connection, channels: channels) {}
      }
      #expect(error?.code == .invalidConfiguration)
      #expect(error?.message.contains("s3cret") == false)
    }
  }
}
