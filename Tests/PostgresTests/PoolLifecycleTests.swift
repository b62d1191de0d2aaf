import PostgresTestSupport
import TestSupport
import Testing

@testable import SwiftwaterEventLoop
@testable import SwiftwaterPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Opening, losing and closing connections")
struct PoolLifecycleTests {
  @Test("A connection string that cannot be read is refused without being repeated")
  func badConnectionString() {
    for text in ["postgres:hunter2", "host=a password='hunter2", "postgresql://u:hunter2@[::1/db", "a\0b"] {
      let error = #expect(throws: PostgresError.self) { try PostgresPool(text) }
      #expect(error?.code == .invalidConfiguration)
      #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
  }

  @Test("Without a server every call fails at once, with libpq's reason")
  func noServer() async throws {
    let pool = try PostgresPool("host=/nowhere dbname=x password=hunter2")
    for _ in 0..<3 {
      let error = try #require(await thrown { try await pool.query("select 1") })
      #expect(error.code == .unavailable && error.message.contains("/nowhere") && !error.message.contains("hunter2"))
    }
    #expect(await thrown { try await pool.executeScript("select 1") }?.code == .unavailable)
    await pool.close()
  }

  @Test("A server that does not answer is given up after the connect timeout")
  func silentServer() async throws {
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, kind, 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(bind(listener, $0, size) == 0 && listen(listener, 5) == 0 && getsockname(listener, $0, &size) == 0)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    var configuration = PostgresPool.Configuration("host=127.0.0.1 port=\(port) dbname=x sslmode=disable")
    configuration.connectTimeout = .milliseconds(100)
    let pool = try PostgresPool(configuration)
    let error = await thrown { try await pool.query("select 1") }
    #expect(error?.code == .unavailable)
    await pool.close()
  }

  @Test("A session that the administrator ends fails its batch and is replaced")
  func terminatedSession() async throws {
    try await SharedCluster.withPool({ $0.maximumConnections = 2 }) { pool in
      let victim = Task { try await pool.query("select pg_sleep(600)") }
      #expect(
        try await eventually {
          let sql: PostgresStatement = """
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event = 'PgSleep'
            """
          return try await pool.query(sql).rowCount == 1
        })
      let error = try #require(await thrown { try await victim.value })
      #expect(error.code == .connectionFailed && error.sqlState == "57P01" && error.severity == "FATAL")
      #expect(try await pool.query("select 1").rowCount == 1)
    }
  }

  @Test("A session that ends while idle is replaced without a failure")
  func terminatedIdleSession() async throws {
    try await SharedCluster.withDatabase { url in
      let pool = try PostgresPool(url)
      let other = try PostgresPool(url)
      _ = try await pool.query("select 1")
      let others: PostgresStatement = """
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
        """
      #expect(try await other.query(others).rowCount == 1)
      #expect(try await eventually { try await other.query(others).rowCount == 0 })
      // Its end may not have been read yet: then this call fails as one that may have run.
      #expect(await eventually { await thrown { try await pool.query("select 1") } == nil })
      await pool.close()
      await other.close()
    }
  }

  @Test("Closing lets running batches end and refuses new ones")
  func closing() async throws {
    try await SharedCluster.withDatabase { url in
      let other = try PostgresPool(url)
      let holder = Task { try await other.execute(["select pg_advisory_xact_lock(1)", "select pg_sleep(600)"]) }
      func count(_ event: String) async throws -> Int {
        try await other.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event = \(event)"
        ).rowCount
      }
      #expect(try await eventually { try await count("PgSleep") == 1 })
      let pool = try PostgresPool(url)
      let tasks = (0..<5).map { number in
        Task { try await pool.query("select \(number)::int, pg_advisory_xact_lock_shared(1)") }
      }
      #expect(try await eventually { try await count("advisory") == 5 })
      let closing = Task { await pool.close(grace: .seconds(60)) }
      #expect(await eventually { await thrown { try await pool.query("select 1") }?.code == .closed })
      holder.cancel()
      for (number, task) in tasks.enumerated() {
        #expect(try await task.value.string(row: 0, column: 0) == "\(number)")
      }
      await closing.value
      await other.close()
      #expect(await thrown { try await pool.executeScript("select 1") }?.code == .closed)
      await pool.close()
    }
  }

  @Test("What does not end within the grace fails as closed")
  func closingWithoutPatience() async throws {
    try await SharedCluster.withDatabase { url in
      let pool = try PostgresPool(url)
      let task = Task { try await pool.query("select pg_sleep(600)") }
      let script = Task { try await pool.executeScript("select pg_sleep(600)") }
      let other = try PostgresPool(url)
      let sleepers: PostgresStatement =
        "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
      #expect(try await eventually { try await other.query(sleepers).rowCount == 2 })
      await pool.close(grace: .zero)
      #expect(await thrown { try await task.value }?.code == .closed)
      #expect(await thrown { try await script.value }?.code == .closed)
      await other.close()
    }
  }

  @Test("A pool that is released without being closed leaves no thread and no session")
  func release() async throws {
    try await SharedCluster.withDatabase { url in
      weak var core: PoolCore?
      weak var loop: EventLoop?
      do {
        let pool = try PostgresPool(url)
        _ = try await pool.query("select 1")
        core = pool.core
        loop = pool.core.loop
        let script = Task { try await pool.executeScript("select 1") }
        try await script.value
      }
      #expect(await eventually { core == nil && loop == nil })
      let other = try PostgresPool(url)
      #expect(
        try await eventually {
          let sessions = try await other.query("select 1 from pg_stat_activity where datname = current_database()")
          return sessions.rowCount == 1
        })
      await other.close()
    }
  }

  @Test("A closed pool is released whole")
  func releaseAfterClose() async throws {
    try await SharedCluster.withDatabase { url in
      weak var core: PoolCore?
      weak var loop: EventLoop?
      do {
        let pool = try PostgresPool(url)
        _ = await thrown { try await pool.query("select 1 / 0") }
        (core, loop) = (pool.core, pool.core.loop)
        await pool.close()
      }
      #expect(await eventually { core == nil && loop == nil })
    }
  }

  @Test("Pools on a shared loop serve tasks on the loop and elsewhere, and leave the loop to its owner")
  func sharedLoop() async throws {
    try await SharedCluster.withDatabase { url in
      let loop = try EventLoop(name: "shared")
      var configuration = PostgresPool.Configuration(url)
      configuration.sharedLoop = loop
      let (pool, other) = (try PostgresPool(configuration), try PostgresPool(configuration))
      try await withThrowingTaskGroup { group in
        for number in 0..<50 {
          group.addTask(executorPreference: number % 2 == 0 ? loop.executor : nil) {
            let result = try await (number % 3 == 0 ? other : pool).query("select \(number)::int")
            #expect(result.string(row: 0, column: 0) == "\(number)")
          }
        }
        try await group.waitForAll()
      }
      await other.close()
      #expect(try await pool.query("select 1").rowCount == 1)
      await pool.close()
      #expect(await Task(executorPreference: loop.executor) { loop.isCurrent }.value)
    }
  }

  @Test("Slow batches on the few connections for brief ones hold nobody up")
  func slowBesideBrisk() async throws {
    try await SharedCluster.withDatabase { url in
      var configuration = PostgresPool.Configuration(url)
      (configuration.briskConnections, configuration.maximumConnections) = (1, 3)
      let pool = try PostgresPool(configuration)
      let sleepers = (0..<2).map { _ in Task { try await pool.query("select pg_sleep(3600)") } }
      // Nothing but the time that passes tells the pool that these are slow.
      for _ in 0..<20 { #expect(try await pool.query("select 1").rowCount == 1) }
      for sleeper in sleepers { sleeper.cancel() }
      for sleeper in sleepers { _ = await sleeper.result }
      await pool.close()
    }
  }

  @Test(
    "It is known whether connecting looks up a name",
    arguments: [
      ("postgresql://u@/db?host=/tmp/x", false), ("host=/tmp/x dbname=d", false), ("host=127.0.0.1", false),
      ("postgresql://u@[::1]:5432/db", false), ("host=localhost", false), ("dbname=d", false),
      ("postgresql://db.example.com/d", true), ("host=/tmp/x,db.example", true),
      ("host=db.example hostaddr=10.0.0.1", false), ("host=face", true),
    ])
  func names(_ connection: String, looksUp: Bool) {
    #expect(PostgresPool.Configuration(connection).looksUpNames == looksUp)
  }
}
