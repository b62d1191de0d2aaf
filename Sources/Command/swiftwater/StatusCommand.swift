import FoundationEssentials
import SwiftwaterBackend

/// `swiftwater status`
enum StatusCommand {
  static func run(_ arguments: ArraySlice<String>) async -> Int32 {
    await Command.run("status") {
      let options = try Options(arguments, valued: ["--data", "--folder"], flags: ["--json"])
      let folder = options["--folder", "--data"] ?? Project.dataFolder
      let records = BackendRecord.running(in: folder)
      guard !records.isEmpty else {
        Terminal.fail("no backend runs on \(folder). \(Command.line("start", on: folder)) runs one.")
        return ExitStatus.unavailable
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      for record in records {
        if options.has("--json") {
          print(String(decoding: try encoder.encode(record), as: UTF8.self))
        } else {
          Terminal.show(record, of: folder)
        }
      }
      return ExitStatus.ok
    }
  }

  static let help = """
    swiftwater status [OPTIONS]

    Prints address, keys and database of the backend that runs on this folder; exits with
    69 when none does.

      --data FOLDER   where its rows are kept (default: .swiftwater)
      --json          one line of JSON for each backend
    """
}
