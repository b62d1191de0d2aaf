import FoundationEssentials
import SwiftwaterBackend

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What the command shows: colours on a terminal, plain text elsewhere.
enum Terminal {
  static func show(_ backend: LocalBackend) {
    let rows = [
      ("URL", backend.url.absoluteString),
      ("REST", backend.restURL.absoluteString),
      ("Database", backend.databaseConnection),
      ("anon key", backend.anonKey),
      ("service_role key", backend.serviceRoleKey),
    ]
    let width = rows.map(\.0.count).max() ?? 0
    print(bold("Swiftwater is running."))
    for (name, value) in rows {
      print("  \(name)\(String(repeating: " ", count: width - name.count))  \(value)")
    }
    print("Stop it with Ctrl-C.")
    // Whoever reads a pipe waits for these lines.
    fflush(nil)
  }

  static func fail(_ message: String) {
    let line = "swiftwater: \(message)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  private static func bold(_ text: String) -> String {
    isatty(STDOUT_FILENO) == 1 ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}
