import BenchmarkSupport
import Foundation
import SwiftwaterBackend

/// The program that is measured: a backend with its data in that folder. Leaves its key and its database's address there,
/// tells its port, and runs until its standard input ends.
func serve(folder: String) async throws {
  let backend = try await LocalBackend.start(.init(storage: .folder("\(folder)/backend")))
  try Data(backend.anonKey.utf8).write(to: URL(filePath: "\(folder)/key"))
  try Data(backend.databaseConnection.utf8).write(to: URL(filePath: "\(folder)/connection"))
  Machine.tell("port", backend.url.port ?? 0)
  await Machine.waitForEndOfInput()
  await backend.stop()
}

/// A backend in a process of its own.
struct Server {
  let child: Child
  let port: Int
  let key: String
  let connection: String
  /// PostgreSQL's first process, the parent of the others.
  let postmaster: Int32

  init(folder: String) throws {
    child = Child(["--serve", folder])
    guard let port = child.next(), port.name == "port" else {
      throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: "The backend does not start."])
    }
    self.port = Int(port.value)
    func text(_ file: String) throws -> String { try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8) }
    key = try text("key")
    connection = try text("connection")
    let line = try text("backend/data/postmaster.pid").split(separator: "\n").first
    postmaster = line.flatMap { Int32($0) } ?? 0
  }

  /// Processor nanoseconds of all of PostgreSQL's processes.
  var databaseTime: Double {
    let list = try? String(contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
    let children = (list ?? "").split(separator: " ").compactMap { Int32($0) }
    return ([postmaster] + children).reduce(0) { $0 + Machine.processorTime(of: $1) }
  }
}
