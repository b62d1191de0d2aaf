import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterCurl
import SwiftwaterHTTP

/// `swiftwater inbox`
enum InboxCommand {
  static func run(_ arguments: ArraySlice<String>) async -> Int32 {
    await Command.run("inbox") {
      let options = try Options(arguments, valued: ["--data", "--folder", "--to"], flags: ["--json", "--clear"])
      let folder = options["--folder", "--data"] ?? Project.dataFolder
      guard let record = BackendRecord.running(in: folder).first else {
        Terminal.fail("no backend runs on \(folder). \(Command.line("start", on: folder)) runs one.")
        return ExitStatus.unavailable
      }
      if options.has("--clear") {
        _ = try await ask(record, .delete)
        return ExitStatus.ok
      }
      guard let bytes = try await ask(record, .get) else {
        Terminal.fail("the backend keeps no messages: it is not in development mode, or sends them.")
        return ExitStatus.unavailable
      }
      let all = try JSONDecoder().decode([AuthMessage].self, from: Data(bytes))
      let messages = options["--to"].map { recipient in all.filter { $0.recipient == recipient } } ?? all
      if options.has("--json") {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for message in messages { print(String(decoding: try encoder.encode(message), as: UTF8.self)) }
      } else if messages.isEmpty {
        print("The inbox is empty.")
      } else {
        print(messages.map(describe).joined(separator: "\n\n"))
      }
      return ExitStatus.ok
    }
  }

  /// The answer's bytes; nil where there is no inbox.
  private static func ask(_ record: BackendRecord, _ method: HTTPRequest.Method) async throws -> [UInt8]? {
    guard let url = URL(string: record.url)?.appending(path: "inbox") else { return nil }
    let (response, body) = try await CurlTransport.shared.send(HTTPRequest(method: method, url: url), body: nil)
    let bytes = try await body.collect(upTo: .max)
    return response.status.code < 300 ? bytes : nil
  }

  private static func describe(_ message: AuthMessage) -> String {
    var lines = [
      "\(message.date)  \(message.kind.rawValue)  \(message.recipient)"
        + (message.subject.isEmpty ? "" : "  \(message.subject)"),
      "  code  \(message.token)",
    ]
    if let link = message.link { lines.append("  link  \(link)") }
    return lines.joined(separator: "\n")
  }

  static let help = """
    swiftwater inbox [OPTIONS]

    Prints the mails and text messages that the backend that runs on this folder has kept
    instead of sending them, the newest first, with their codes and links.

      --to RECIPIENT  those to this address or phone number
      --json          one line of JSON for each message
      --clear         throw them away
      --data FOLDER   where the backend's rows are kept (default: .swiftwater)
    """
}
