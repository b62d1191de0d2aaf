// How much a query costs through the pool, beside the floor: libpq in pipeline mode, by hand, on one thread.
import CPostgres
import SwiftwaterPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

struct Figure {
  let name: String
  let perSecond: Double
  /// Of this process, without the server.
  let cpuMicroseconds: Double
}

func measure(_ name: String, _ count: Int, _ body: () async throws -> Void) async rethrows -> Figure {
  func cpu() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
  let (start, cpuStart) = (ContinuousClock.now, cpu())
  try await body()
  let seconds = (ContinuousClock.now - start) / .seconds(1)
  return Figure(name: name, perSecond: Double(count) / seconds, cpuMicroseconds: (cpu() - cpuStart) / Double(count))
}

/// Keeps `depth` prepared queries, each with its own `Sync`, under way on each of some connections.
func bareLibpq(_ url: String, connections: Int, depth: Int, count: Int) {
  let open = (0..<connections).compactMap { _ in PQconnectdb(url) }
  for connection in open {
    PQclear(PQprepare(connection, "q", "select $1::int", 1, nil))
    PQsetnonblocking(connection, 1)
    PQenterPipelineMode(connection)
  }
  var (sent, received) = (0, 0)
  func send(_ connection: OpaquePointer) {
    sent += 1
    "7".withCString { value in
      _ = PQsendQueryPrepared(connection, "q", 1, [value], nil, nil, 0)
      PQpipelineSync(connection)
    }
  }
  for connection in open { for _ in 0..<depth { send(connection) } }
  var polled = open.map { pollfd(fd: PQsocket($0), events: Int16(POLLIN), revents: 0) }
  while received < sent {
    poll(&polled, nfds_t(polled.count), -1)
    for (connection, entry) in zip(open, polled) where entry.revents != 0 {
      PQconsumeInput(connection)
      while PQisBusy(connection) == 0 {
        guard let result = PQgetResult(connection) else {
          if PQisBusy(connection) == 1 || PQtransactionStatus(connection) == PQTRANS_IDLE { break }
          continue
        }
        if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
          received += 1
          if sent < count { send(connection) }
        }
        PQclear(result)
      }
    }
  }
  for connection in open { PQfinish(connection) }
}

let cluster = try await PostgresCluster.start(.temporary)
let url = cluster.connectionString()
let count = 60_000
for connections in [1, 4, 10] {
  let floor = await measure("libpq, \(connections) x 4 in flight", count) {
    bareLibpq(url, connections: connections, depth: 4, count: count)
  }
  var configuration = PostgresPool.Configuration(url)
  configuration.maximumConnections = connections
  let pool = try PostgresPool(configuration)
  try await pool.query("select \(7)::int")
  let pooled = try await measure("pool, 64 tasks on \(connections) connections", count) {
    try await withThrowingTaskGroup { group in
      for _ in 0..<64 {
        group.addTask { for _ in 0..<(count / 64) { try await pool.query("select \(7)::int") } }
      }
      try await group.waitForAll()
    }
  }
  for figure in [floor, pooled] {
    print(
      "\(figure.name): \(Int(figure.perSecond))/s, \((figure.cpuMicroseconds * 10).rounded() / 10) µs CPU,",
      "\((figure.perSecond / floor.perSecond * 100).rounded() / 100) x libpq")
  }
  await pool.close()
}
await cluster.stop()
