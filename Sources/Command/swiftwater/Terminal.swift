import FoundationEssentials
import SwiftwaterBackend

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What the command shows: colours and a progress bar on a terminal, plain lines elsewhere.
enum Terminal {
  /// What a user needs to know of the backend that runs on the folder.
  static func show(_ record: BackendRecord, of folder: String) {
    var rows = [
      ("URL", record.url),
      ("REST", record.restURL),
      ("Auth", record.authURL),
      ("Database", record.database),
      // The address of a private one is another after each start, this is not.
      ("psql", Command.line("db psql", on: folder)),
      ("anon key", record.anonKey),
      ("service_role key", record.serviceRoleKey),
      (
        "Mode", record.isDevelopment ? "development: everybody knows the keys, only this machine is answered" : "normal"
      ),
      ("Process", "\(record.process)"),
    ]
    if let inbox = record.inboxURL { rows.insert(("Inbox", inbox), at: 3) }
    let width = rows.map(\.0.count).max() ?? 0
    print(bold("Swiftwater is running."))
    for (name, value) in rows {
      print("  \(name)\(String(repeating: " ", count: width - name.count))  \(value)")
    }
  }

  /// Says which file is being applied. A terminal's line is drawn over by the next one.
  static func show(_ progress: LocalBackend.Progress) {
    guard isTerminal else {
      print("Applying \(progress.file) (\(progress.index) of \(progress.count))")
      return flush()
    }
    let width = 24
    let done = width * (progress.index - 1) / progress.count
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
    let line = "\(bar) \(progress.index)/\(progress.count)  \(progress.file)"
    print("\r\u{1B}[K\(line.prefix(max(width, columns - 1)))", terminator: "")
    flush()
  }

  /// Clears a progress bar away.
  static func endProgress() {
    guard isTerminal else { return }
    print("\r\u{1B}[K", terminator: "")
    flush()
  }

  /// Whoever reads a pipe waits for what was printed.
  static func flush() { fflush(nil) }

  /// Says on the standard error what the user should know, in one line.
  static func warn(_ message: String) {
    endProgress()
    fail(message)
  }

  /// Says on the standard error what went wrong, in one line and perhaps some more.
  static func fail(_ message: String, explanation: String? = nil) {
    let text = "swiftwater: \(message)\n" + (explanation.map { $0 + "\n" } ?? "")
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  private static func bold(_ text: String) -> String { isTerminal ? "\u{1B}[1m\(text)\u{1B}[0m" : text }

  private static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  private static var columns: Int {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
