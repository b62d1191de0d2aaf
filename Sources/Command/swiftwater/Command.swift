import SwiftwaterBackend

/// What all commands share: how they end, and that Ctrl-C ends them.
enum Command {
  /// Runs a command and turns what it throws into a line and an exit status.
  static func run(help: String, _ body: () async throws -> Int32) async -> Int32 {
    do {
      return try await body()
    } catch let error as UsageError {
      Terminal.fail("\(error.message) See \(help).")
      return ExitStatus.usage
    } catch let error as LocalBackendError {
      Terminal.endProgress()
      Terminal.fail(error.message, explanation: error.explanation)
      return ExitStatus.of(error)
    } catch let error as Interrupted {
      Terminal.endProgress()
      return 128 + error.signal
    } catch {
      Terminal.fail("\(error)")
      return ExitStatus.software
    }
  }

  /// Runs work that Ctrl-C and `kill` cancel.
  ///
  /// - Throws: `Interrupted` then, when the work has put away what it had begun.
  static func interruptible<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    TerminationSignal.expect()
    let working = Task { try await work() }
    let watch = Task {
      let signal = await TerminationSignal.next()
      working.cancel()
      return signal
    }
    do {
      let result = try await working.value
      watch.cancel()
      return result
    } catch is CancellationError {
      guard let signal = await watch.value else { throw CancellationError() }
      throw Interrupted(signal: signal)
    } catch {
      watch.cancel()
      throw error
    }
  }

  /// The user has had enough.
  struct Interrupted: Error {
    var signal: Int32
  }
}
