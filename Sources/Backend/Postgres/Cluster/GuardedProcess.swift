#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A program that ends when we do, even if we are killed.
///
/// A guard, a small shell, runs the program and reads from a pipe whose other end only we hold. When that end closes,
/// by our hand or by our death, the guard interrupts the program (to PostgreSQL: fast shutdown), after ten seconds more
/// firmly, after thirty it kills it, and then removes a folder. The program must set its own handlers: a shell starts
/// it with SIGINT and SIGQUIT ignored. Tying the program to us by a death signal of the system would not do: it follows
/// the thread that started the program, and threads come and go.
struct GuardedProcess: Sendable {
  /// The guard, which exits with the program's status when the program has ended.
  let guardIdentifier: pid_t
  /// Closing it ends the program.
  let lifeline: Int32

  /// Arguments: the folder to remove, then the program's command line.
  static let script = """
    cd /
    folder=$1
    shift
    exec 3<&0 0</dev/null
    "$@" 3<&- &
    program=$!
    (
      read -r line <&3
      trap '' TERM
      kill -INT $program
      tries=0
      while kill -0 $program 2>/dev/null; do
        [ $tries -eq 200 ] && kill -QUIT $program
        [ $tries -eq 600 ] && kill -KILL $program
        tries=$((tries + 1))
        sleep 0.05
      done
      rm -rf "$folder"
    ) 2>/dev/null &
    watcher=$!
    exec 3<&-
    wait $program
    status=$?
    kill $watcher 2>/dev/null
    wait $watcher 2>/dev/null
    exit $status
    """

  /// Starts the guard and the program.
  ///
  /// - Parameters:
  ///   - command: the program's path and arguments.
  ///   - user: who runs both.
  ///   - folder: what to remove after a death of ours, or when `lifeline` is closed. It stays when the program ends by
  ///     itself.
  ///   - log: receives what the program writes.
  static func start(
    _ command: [String], as user: ServerUser?, removing folder: String, log: Int32
  ) throws(PostgresError) -> GuardedProcess {
    let pipe = try Pipe()
    defer { close(pipe.reading) }
    do throws(PostgresError) {
      let process = try ChildProcess.start(
        user.running(["/bin/sh", "-c", script, "swiftwater-guard", folder] + command),
        input: pipe.reading, output: log, error: log)
      return GuardedProcess(guardIdentifier: process, lifeline: pipe.writing)
    } catch {
      close(pipe.writing)
      throw error
    }
  }
}
