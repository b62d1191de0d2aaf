internal import FoundationEssentials

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Writes records to standard error, one line each, in colours on a terminal:
/// `2026-11-30T03:35:09.123Z warning io.supabase.auth: The key is of an unknown kind key=sb_x`.
public struct StandardErrorLogHandler: ClientLogHandler {
  /// The handler; it has no state.
  public static let shared = StandardErrorLogHandler()

  private let usesColour = isatty(STDERR_FILENO) == 1

  /// Writes the record as one line, in one call of the system.
  public func log(_ record: LogRecord) {
    let line = Array((Self.line(for: record, at: Date(), usesColour: usesColour) + "\n").utf8)
    // One write per line, so that the lines of several threads and programs do not mix.
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  static func line(for record: LogRecord, at date: Date, usesColour: Bool) -> String {
    func paint(_ text: String, _ code: Int) -> String { usesColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
    let level =
      switch record.level {
      case .error, .critical: paint("\(record.level)", 31)
      case .warning: paint("\(record.level)", 33)
      default: "\(record.level)"
      }
    var line = "\(paint(ISO8601.string(from: date), 2)) \(level) \(record.label): \(record.message)"
    // What comes from the network must not be able to begin a line of its own or to steer the terminal.
    for (name, value) in record.metadata.sorted(by: { $0.key < $1.key }) {
      line += " \(paint("\(Redactor.printable(name))=", 2))\(Redactor.printable(value))"
    }
    return line
  }
}
