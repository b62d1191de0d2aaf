// How much a query costs through the pool, beside the floor: libpq in pipeline mode, by hand, on one thread.
import BenchmarkSupport
import CPostgres
import SwiftwaterPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Queries per second, and processor nanoseconds of this process, without the server, for each.
func measure(_ count: Int, _ body: () async throws -> Void) async rethrows -> (rate: Double, processor: Double) {
  let (start, processor) = (Machine.now(), Machine.processorTime())
  try await body()
  let seconds = (Machine.now() - start) / 1e9
  return (Double(count) / seconds, (Machine.processorTime() - processor) / Double(count))
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
var figures: [Figure] = []
for connections in [1, 4, 10] {
  let floor = await measure(count) {
    bareLibpq(url, connections: connections, depth: 4, count: count)
  }
  var configuration = PostgresPool.Configuration(url)
  configuration.maximumConnections = connections
  let pool = try PostgresPool(configuration)
  try await pool.query("select \(7)::int")
  let pooled = try await measure(count) {
    try await withThrowingTaskGroup { group in
      for _ in 0..<64 {
        group.addTask { for _ in 0..<(count / 64) { try await pool.query("select \(7)::int") } }
      }
      try await group.waitForAll()
    }
  }
  for (name, result) in [("libpq, 4 in flight", floor), ("pool, 64 tasks", pooled)] {
    let name = "\(name), \(connections) connections"
    figures.append(Figure(name, result.rate, "/s", ratio: result.rate / floor.rate))
    figures.append(Figure(name, result.processor / 1e3, "us CPU", ratio: result.processor / floor.processor))
  }
  await pool.close()
}
await cluster.stop()
Report("postgres", floor: "libpq", figures).print()
