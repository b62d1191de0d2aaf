internal import CSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Starts programs in sessions of their own, with three descriptors, a small environment and nothing else of ours.
enum ChildProcess {
  /// Starts the program at `command[0]`; the descriptors become its standard ones.
  static func start(
    _ command: [String], input: Int32, output: Int32, error: Int32
  ) throws(PostgresError) -> pid_t {
    var process: pid_t = 0
    let number = withCStrings(command) { arguments in
      withCStrings(environment) { environment in
        swiftwater_spawn(&process, arguments, environment, input, output, error, 1)
      }
    }
    guard number == 0 else {
      throw PostgresError(.startFailed, "cannot start \(command[0]): \(String(cString: strerror(number)))")
    }
    return process
  }

  /// Runs a short command to its end and returns what it wrote and its exit status.
  static func output(of command: [String]) throws(PostgresError) -> (text: String, status: Int32) {
    let pipe = try Pipe()
    let null = try openNull()
    defer { close(null) }
    let process: pid_t
    do throws(PostgresError) {
      process = try start(command, input: null, output: pipe.writing, error: null)
    } catch {
      pipe.closeBoth()
      throw error
    }
    close(pipe.writing)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(pipe.reading, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    close(pipe.reading)
    return (String(decoding: bytes, as: UTF8.self), wait(for: process))
  }

  /// Blocks until the child has ended. Returns its exit status, 128 + n after signal n.
  @discardableResult
  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      // ECHILD: the host program ignores SIGCHLD, so the system has reaped the child, whose status is lost.
      if errno != EINTR { return 255 }
    }
    return exitStatus(status)
  }

  /// The exit status of a child that has ended, `nil` while it runs. Not to be asked again after a status.
  static func poll(_ process: pid_t) -> Int32? {
    var status: Int32 = 0
    switch waitpid(process, &status, WNOHANG) {
    case 0: return nil
    case process: return exitStatus(status)
    default: return errno == EINTR ? nil : 255
    }
  }

  static func openNull() throws(PostgresError) -> Int32 {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { throw Files.failure("open /dev/null") }
    return null
  }

  private static func exitStatus(_ status: Int32) -> Int32 {
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// PostgreSQL's own variables (`PGDATA`, `PGOPTIONS`) and the backend's secrets stay out.
  private static var environment: [String] {
    let path = PostgresInstallation.environmentVariable("PATH") ?? "/usr/bin:/bin"
    return ["PATH=\(path)", "LC_ALL=C", "TZ=UTC"]
  }
}

/// Both ends of a pipe, closed in every child.
struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws(PostgresError) {
    var ends: [Int32] = [-1, -1]
    let number = swiftwater_pipe(&ends)
    guard number == 0 else {
      throw PostgresError(.startFailed, "cannot open a pipe: \(String(cString: strerror(number)))")
    }
    reading = ends[0]
    writing = ends[1]
  }

  func closeBoth() {
    close(reading)
    close(writing)
  }
}
