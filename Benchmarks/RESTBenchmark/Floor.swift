import BenchmarkSupport
import CPostgres
import Foundation
import SwiftwaterPostgres

/// Bare libpq in pipeline mode: the same statements on as many connections as the service has.
final class Floor {
  static let connections = 10

  /// How many transactions are under way on a connection.
  private let depth: Int
  private let statements: [PostgresStatement]
  private let open: [OpaquePointer]

  init(_ statements: [PostgresStatement], connection: String, depth: Int) {
    self.depth = depth
    self.statements = statements
    open = (0..<Self.connections).compactMap { _ in PQconnectdb(connection) }
    for connection in open {
      PQclear(PQexec(connection, "SET SESSION AUTHORIZATION authenticator"))
      for (index, statement) in statements.enumerated() {
        PQclear(PQprepare(connection, "s\(index)", statement.sql, 0, nil))
      }
      PQsetnonblocking(connection, 1)
      PQenterPipelineMode(connection)
    }
  }

  deinit { for connection in open { PQfinish(connection) } }

  /// Runs transactions for some seconds; returns how many.
  func run(seconds: Double) throws -> Int {
    let encoded = statements.map { $0.parameters.map(Self.bytes) }
    let end = Machine.now() + seconds * 1e9
    var (sent, received, failed) = (0, 0, 0)
    func send(_ connection: OpaquePointer) {
      sent += 1
      for (index, parameters) in encoded.enumerated() {
        let values = parameters.map { $0.map { UnsafePointer($0) } }
        _ = PQsendQueryPrepared(connection, "s\(index)", Int32(values.count), values, nil, nil, 0)
      }
      PQpipelineSync(connection)
    }
    defer { for parameter in encoded.joined() { parameter?.deallocate() } }
    for connection in open {
      for _ in 0..<depth { send(connection) }
      PQflush(connection)
    }
    var polled = open.map { pollfd(fd: PQsocket($0), events: Int16(POLLIN), revents: 0) }
    while received < sent {
      poll(&polled, nfds_t(polled.count), -1)
      for (connection, entry) in zip(open, polled) where entry.revents != 0 {
        guard PQconsumeInput(connection) == 1 else { throw Failure.connection }
        while PQisBusy(connection) == 0 {
          guard let result = PQgetResult(connection) else {
            if PQisBusy(connection) == 1 || PQtransactionStatus(connection) == PQTRANS_IDLE { break }
            continue
          }
          switch PQresultStatus(result) {
          case PGRES_PIPELINE_SYNC:
            received += 1
            if Machine.now() < end { send(connection) }
          case PGRES_TUPLES_OK, PGRES_COMMAND_OK: break
          default: failed += 1
          }
          PQclear(result)
        }
        PQflush(connection)
      }
    }
    guard failed == 0 else { throw Failure.statement }
    return received
  }

  enum Failure: Error { case connection, statement }

  /// A C string that its owner frees; nil for NULL.
  private static func bytes(_ parameter: PostgresParameter) -> UnsafeMutablePointer<CChar>? {
    guard case .text(let text) = parameter else { return nil }
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    copy.initialize(from: Array(bytes), count: bytes.count)
    return copy
  }
}
