import Foundation
import PostgREST
import SwiftwaterBackend

/// Drives along a route and shares the trip: one source of truth, shown on the terminal, written to PostgreSQL through
/// the client while it changes, and read back.
@main
struct TripShare {
  static func main() async {
    TerminationSignal.expect()
    let work = Task { await run(Array(CommandLine.arguments.dropFirst())) }
    // Ctrl-C cancels the trip, which then puts everything away as after its end.
    let watch = Task {
      guard let signal = await TerminationSignal.next() else { return }
      work.cancel()
      Output.line("\nStopping.")
      _ = await work.value
      exit(128 + signal)
    }
    let status = await work.value
    if status == ExitStatus.interrupted { await watch.value }
    watch.cancel()
    exit(status)
  }

  /// Runs the program and returns its exit status.
  private static func run(_ arguments: [String]) async -> Int32 {
    do {
      guard let options = try Options(arguments) else {
        Output.line(Options.help)
        return ExitStatus.ok
      }
      let trip = try Trip(options.routeFile.map(RouteFile.init(path:)) ?? RouteFile.harbour())
      Output.line("Starting the backend: PostgreSQL and the REST service, on this machine only …")
      let backend = try await LocalBackend.start()
      do {
        let summary = try await SharedTrip(trip: trip, backend: backend).share()
        await backend.stop()
        Output.line(summary.table(isColored: Output.isTerminal))
        return summary.isCorrect ? ExitStatus.ok : ExitStatus.software
      } catch {
        await backend.stop()
        throw error
      }
    } catch is CancellationError {
      return ExitStatus.interrupted
    } catch let error as TripError {
      Output.error(error.message)
      return error.exitStatus
    } catch {
      Output.error("\(error)")
      return ExitStatus.software
    }
  }
}
