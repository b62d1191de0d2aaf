import FoundationEssentials
import SwiftwaterBackend

/// What all commands share: what they are called, how they end, and that Ctrl-C ends them.
enum Command {
  /// How the user calls this program: `./dev swiftwater` where that has built it, and says so.
  static let name = ProcessInfo.processInfo.environment["SWIFTWATER_COMMAND"] ?? "swiftwater"

  /// A command line that works where the user is.
  static func line(_ command: String, on folder: String = Project.dataFolder) -> String {
    let option = folder == Project.dataFolder ? "" : " --folder \(quoted(folder))"
    return "\(name) \(command)\(option)"
  }

  /// A word as a shell wants it.
  private static func quoted(_ word: String) -> String {
    word.allSatisfy { $0.isLetter || $0.isNumber || "/._-+:@%".contains($0) }
      ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }

  /// Runs a command and turns what it throws into a line and an exit status.
  static func run(_ command: String, _ body: () async throws -> Int32) async -> Int32 {
    do {
      return try await body()
    } catch let error as UsageError {
      Terminal.fail("\(error.message) See \(line(command)) --help.")
      return ExitStatus.usage
    } catch let error as OutputError {
      Terminal.fail(error.message)
      return ExitStatus.cannotCreate
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
