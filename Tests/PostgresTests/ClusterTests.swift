import PostgresTestSupport
import TestSupport
import Testing

@testable import SwiftwaterPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("A cluster of our own")
struct ClusterTests {
  /// Fast, since no test crashes the machine.
  private func configuration(_ folder: String) -> PostgresCluster.Configuration {
    var configuration = PostgresCluster.Configuration(folder: folder)
    configuration.durability = .none
    return configuration
  }

  /// Calls `body` with a pool and closes it.
  private func withPool<Result>(
    on cluster: PostgresCluster, _ body: (PostgresPool) async throws -> Result
  ) async throws -> Result {
    let pool = try PostgresPool(cluster.connectionString())
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(pool)) } catch { result = .failure(error) }
    await pool.close()
    return try result.get()
  }

  /// Calls `body` with a running cluster that was copied, which is faster than creating one, and stops it.
  private func withCluster<Result>(_ body: (PostgresCluster) async throws -> Result) async throws -> Result {
    try await withFolder { folder in
      try await ClusterTemplate.copy(to: folder)
      let cluster = try await PostgresCluster.start(configuration(folder))
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body(cluster)) } catch { result = .failure(error) }
      await cluster.stop()
      return try result.get()
    }
  }

  private func rowCount(_ sql: String, on cluster: PostgresCluster) async throws -> Int {
    try await withPool(on: cluster) { try await $0.query(PostgresStatement(sql)).rowCount }
  }

  @Test("It is created once, keeps its rows, and stops without leaving anything but its folder")
  func lifecycle() async throws {
    try await withFolder { parent in
      let folder = "\(parent)/made/on/the way"
      // Full durability: the default is part of what is tested.
      let first = try await PostgresCluster.start(.init(folder: folder))
      let process = try #require(first.serverProcess)
      try await withPool(on: first) { pool in
        try await pool.executeScript("create table t (id int); insert into t values (1), (2)")
        let names = ["wal_level", "listen_addresses", "fsync", "server_encoding", "timezone"]
        var settings: [String?] = []
        for name in names {
          settings.append(try await pool.query("select current_setting(\(name))").string(row: 0, column: 0))
        }
        #expect(settings == ["logical", "", "on", "UTF8", "UTC"])
        #expect(try await pool.query("select upper('äß')").string(row: 0, column: 0)?.hasPrefix("Ä") == true)
      }
      #expect(first.socketFolder.utf8.count < 80 && permissions(of: first.socketFolder) == 0o700)
      await first.stop()
      await first.stop()
      #expect(!isAlive(process) && !Files.exists(first.socketFolder) && first.serverProcess == nil)
      #expect(PostmasterFile(dataFolder: "\(folder)/data") == nil)

      let second = try await PostgresCluster.start(configuration(folder))
      try await withPool(on: second) { pool async throws in
        #expect(try await pool.query("select * from t").rowCount == 2)
        #expect(try await pool.query("select current_setting('fsync')").string(row: 0, column: 0) == "off")
      }
      await second.stop()
    }
  }

  @Test("A throw-away cluster is gone with everything when it stops")
  func temporary() async throws {
    let cluster = try await PostgresCluster.start(.temporary)
    let folder = cluster.socketFolder
    #expect(Files.exists("\(folder)/data/PG_VERSION"))
    await cluster.stop()
    #expect(!Files.exists(folder))
  }

  @Test("A cluster that is released without being stopped stops")
  func release() async throws {
    try await withFolder { folder in
      try await ClusterTemplate.copy(to: folder)
      var process: pid_t = 0
      var socketFolder = ""
      do {
        let cluster = try await PostgresCluster.start(configuration(folder))
        process = try #require(cluster.serverProcess)
        socketFolder = cluster.socketFolder
      }
      #expect(await eventually { !isAlive(process) && !Files.exists(socketFolder) })
      #expect(
        await eventually {
          guard let lock = try? FolderLock(folder) else { return false }
          lock.release()
          return true
        })
    }
  }

  @Test("A server that is killed comes back by itself with every committed row, and the pool with it")
  func crash() async throws {
    try await withCluster { cluster in
      try await withPool(on: cluster) { pool in
        try await pool.executeScript("create table t (id int)")
        for round in 1...2 {
          for number in 0..<20 { try await pool.query("insert into t values (\(number))") }
          let victim = Task { try await pool.query("select pg_sleep(600)") }
          #expect(
            try await eventually {
              try await pool.query("select 1 from pg_stat_activity where wait_event = 'PgSleep'").rowCount == 1
            })
          let process = try #require(cluster.serverProcess)
          kill(process, SIGKILL)
          #expect(await thrown { try await victim.value }?.code == .connectionFailed)

          // Meanwhile calls fail in one of two ways, or are answered by a session that has not noticed yet.
          var codes: Set<PostgresError.Code> = []
          func works() async -> Bool {
            guard let error = await thrown({ try await pool.query("select 1") }) else { return true }
            codes.insert(error.code)
            return false
          }
          #expect(
            await eventually {
              _ = await works()
              return cluster.restartCount == round
            })
          #expect(await eventually { await works() })
          #expect(codes.isSubset(of: [.connectionFailed, .unavailable]))
          #expect(cluster.serverProcess != process)
          #expect(try await pool.query("select * from t").rowCount == 20 * round)
        }
      }
    }
  }

  @Test("When the guard is killed the server is started anew, under a new guard")
  func killedGuard() async throws {
    try await withCluster { cluster in
      let server = try #require(cluster.serverProcess)
      let guardProcess = getpgid(server)
      #expect(guardProcess > 1 && guardProcess != getpgrp())
      kill(guardProcess, SIGKILL)
      #expect(
        await eventually {
          cluster.restartCount == 1 && cluster.serverProcess.map { $0 != server } == true
        })
      let isBack = try await withPool(on: cluster) { pool in
        await eventually { await thrown { try await pool.query("select 1") } == nil }
      }
      #expect(isBack)
      await cluster.stop()
      #expect(!Files.exists(cluster.socketFolder))
    }
  }

  @Test("A stopped server: calls fail at once and work again when one runs on the same socket")
  func stoppedServer() async throws {
    try await withCluster { cluster in
      try await withPool(on: cluster) { pool in
        try await pool.query("select 1")
        await cluster.stop()
        #expect(
          await eventually {
            await thrown { try await pool.query("select 1") }?.code == .unavailable
          })
      }
    }
  }

  @Test("Two backends cannot have the same folder; the second learns who has it")
  func secondBackend() async throws {
    try await withFolder { folder in
      try await ClusterTemplate.copy(to: folder)
      let first = try await PostgresCluster.start(configuration(folder))
      let sameFolder = "\(folder)/../\(folder.split(separator: "/").last ?? "")"
      let error = try #require(await thrown { try await PostgresCluster.start(configuration(sameFolder)) })
      #expect(error.code == .alreadyInUse && error.message.contains("process \(getpid())"))
      #expect(try await rowCount("select 1", on: first) == 1)
      await first.stop()
      let second = try await PostgresCluster.start(configuration(folder))
      await second.stop()
    }
  }

  @Test(
    "A server that outlived its backend is stopped before a new one starts, also on data that lie elsewhere",
    arguments: [false, true])
  func staleServer(isLinked: Bool) async throws {
    try await withFolder { folder in
      try await ClusterTemplate.copy(to: folder)
      if isLinked {
        rename("\(folder)/data", "\(folder)/elsewhere")
        symlink("\(folder)/elsewhere", "\(folder)/data")
      }
      let first = try await PostgresCluster.start(configuration(folder))
      try await withPool(on: first) { try await $0.executeScript("create table t (id int)") }
      await first.stop()

      let user = try ServerUser.needed()
      let socketFolder = try Files.createShortFolder(owner: user)
      let installation = try PostgresInstallation.locate()
      let log = try ChildProcess.openNull()
      let stale = try ChildProcess.start(
        user.running(["\(installation.binaries)/postgres", "-D", "\(folder)/data", "-k", socketFolder, "-h", ""]),
        input: log, output: log, error: log)
      close(log)
      #expect(await eventually { PostmasterFile(dataFolder: "\(folder)/data")?.isReady == true })

      let second = try await PostgresCluster.start(configuration(folder))
      #expect(await exitStatus(of: stale) != nil)
      #expect(!Files.exists(socketFolder))
      #expect(try await rowCount("select * from t", on: second) == 0)
      await second.stop()
    }
  }

  @Test("What an interrupted creation or a dead server has left behind is no obstacle")
  func leftovers() async throws {
    try await withFolder { folder in
      mkdir("\(folder)/data.unfinished", 0o700)
      writeFile("15\n", to: "\(folder)/data.unfinished/PG_VERSION")
      let first = try await PostgresCluster.start(configuration(folder))
      await first.stop()
      #expect(!Files.exists("\(folder)/data.unfinished"))

      // Our own number: a process that lives and is no PostgreSQL.
      writeFile("\(getpid())\n\(folder)/data\n1\n5432\n/tmp\n\n0\nready\n", to: PostmasterFile.path("\(folder)/data"))
      let second = try await PostgresCluster.start(configuration(folder))
      #expect(try await rowCount("select 1", on: second) == 1)
      await second.stop()
    }
  }

  @Test("A cancelled start leaves nothing running and no half cluster")
  func cancelledStart() async throws {
    try await withFolder { folder in
      let early = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await PostgresCluster.start(configuration(folder))
      }
      await #expect(throws: CancellationError.self) { try await early.value }

      let late = Task { try await PostgresCluster.start(configuration(folder)) }
      #expect(await eventually { Files.exists("\(folder)/data.unfinished/base") })
      late.cancel()
      await #expect(throws: CancellationError.self) { try await late.value }
      #expect(!Files.exists("\(folder)/data"))
      try FolderLock(folder).release()

      let cluster = try await PostgresCluster.start(configuration(folder))
      #expect(try await rowCount("select 1", on: cluster) == 1)
      await cluster.stop()
    }
  }

  @Test("A server that does not start says why")
  func startFailure() async throws {
    try await withFolder { folder in
      try await ClusterTemplate.copy(to: folder)
      var configuration = configuration(folder)
      configuration.settings["shared_buffers"] = "a lot"
      let error = try #require(await thrown { try await PostgresCluster.start(configuration) })
      #expect(error.code == .startFailed && error.message.contains("invalid value for parameter \"shared_buffers\""))
      #expect(error.message.contains("\(folder)/server.log"))
    }
  }

  @Test(
    "Started by root, a folder that the server's user may not enter is named, and stays as it was",
    .enabled(if: geteuid() == 0, "only root changes the user"))
  func untraversableFolder() async throws {
    try await withFolder { parent in
      mkdir("\(parent)/private", 0o700)
      for folder in ["\(parent)/private/below/it", "\(parent)/private"] {
        let error = try #require(await thrown { try await PostgresCluster.start(configuration(folder)) })
        #expect(error.code == .folderNotAccessible && error.message.contains("may not enter \(parent)/private:"))
        #expect(!error.message.contains("\n"))
      }
      #expect(permissions(of: "\(parent)/private") == 0o700 && !Files.exists("\(parent)/private/below"))
    }
  }

  @Test(
    "After a minute in which nothing happens the server is still the same (only with SWIFTWATER_FULL=1)",
    .enabled(if: getenv("SWIFTWATER_FULL") != nil, "takes a minute: set SWIFTWATER_FULL=1"))
  func idleMinute() async throws {
    try await withCluster { cluster in
      let process = cluster.serverProcess
      try await withPool(on: cluster) { pool in
        try await pool.query("select 1")
        try await Task.sleep(for: .seconds(60))
        try await pool.query("select 1")
      }
      #expect(process != nil && cluster.serverProcess == process && cluster.restartCount == 0)
    }
  }
}
