import SwiftwaterBackend

/// `swiftwater start`
enum StartCommand {
  private static let defaultPort = 54321

  static func run(_ arguments: ArraySlice<String>) async -> Int32 {
    do {
      return try await start(try configuration(arguments))
    } catch let error as UsageError {
      Terminal.fail("\(error.message) See swiftwater help.")
      return ExitStatus.usage
    } catch let error as LocalBackendError {
      Terminal.fail(error.message)
      return ExitStatus.of(error)
    } catch {
      Terminal.fail("\(error)")
      return ExitStatus.software
    }
  }

  private static func start(_ configuration: LocalBackend.Configuration) async throws -> Int32 {
    TerminationSignal.expect()
    let starting = Task { try await LocalBackend.start(configuration) }
    // Ctrl-C also ends a start that takes long.
    let watch = Task {
      let signal = await TerminationSignal.next()
      starting.cancel()
      return signal
    }
    let backend: LocalBackend
    do {
      backend = try await starting.value
    } catch is CancellationError {
      return await watch.value.map { 128 + $0 } ?? ExitStatus.software
    }
    Terminal.show(backend)
    _ = await watch.value
    print("Stopping.")
    await backend.stop()
    return ExitStatus.ok
  }

  static func configuration(_ arguments: ArraySlice<String>) throws(UsageError) -> LocalBackend.Configuration {
    var arguments = arguments
    var folder: String?
    var url: String?
    var port = defaultPort
    var migrations: String?
    while let word = arguments.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let option = parts[0]
      guard ["--data", "--port", "--database-url", "--migrations"].contains(option) else {
        throw UsageError(message: "unknown option \(option).")
      }
      guard let value = parts.count > 1 ? parts[1] : arguments.popFirst(), !value.isEmpty else {
        throw UsageError(message: "\(option) needs a value.")
      }
      switch option {
      case "--data": folder = value
      case "--database-url": url = value
      case "--migrations": migrations = value
      default:
        guard let number = Int(value), (0...65535).contains(number) else {
          throw UsageError(message: "--port needs a number from 0 to 65535, not \(value).")
        }
        port = number
      }
    }
    if folder != nil, url != nil {
      throw UsageError(message: "--data and --database-url exclude each other: the rows lie in one place.")
    }
    return LocalBackend.Configuration(
      port: port, storage: url.map { .database($0) } ?? .folder(folder ?? ".swiftwater"), migrations: migrations)
  }
}

/// A command line that cannot be understood.
struct UsageError: Error {
  var message: String
}
