import PostgresTestSupport

@testable import SwiftwaterPostgres

/// A cluster that was created once, for tests that need one of their own on which nothing else runs.
enum ClusterTemplate {
  // In the shared cluster's folder, so that it goes with it. Lives as long as the process.
  private static let making = Task {
    let folder = "\(try await SharedCluster.shared.socketFolder)/template"
    let cluster = try await PostgresCluster.start(.init(folder: folder))
    await cluster.stop()
    return folder
  }

  static func copy(to folder: String) async throws {
    let template = try await making.value
    let copy = try ChildProcess.output(of: ["/bin/cp", "-a", "\(template)/data", "\(folder)/data"])
    guard copy.status == 0 else { throw PostgresError(.startFailed, "the template could not be copied") }
  }
}
