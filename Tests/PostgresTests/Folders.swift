import TestSupport

@testable import SwiftwaterPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Calls `body` with a fresh folder that every user may enter, and removes it afterwards.
func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  var template = Array("/tmp/postgres-tests-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw PostgresError(.startFailed, "no folder") }
  let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  chmod(folder, 0o755)
  defer { Files.removeTree(folder) }
  return try await body(folder)
}

func writeFile(_ text: String, to path: String) {
  guard let file = fopen(path, "w") else { return }
  fputs(text, file)
  fclose(file)
}

func isAlive(_ process: pid_t) -> Bool {
  kill(process, 0) == 0
}

func permissions(of path: String) -> mode_t {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
}

/// Waits for a child without blocking a thread; `nil` if it has not ended in time.
func exitStatus(of process: pid_t) async -> Int32? {
  var status: Int32?
  _ = await eventually {
    status = ChildProcess.poll(process)
    return status != nil
  }
  return status
}
