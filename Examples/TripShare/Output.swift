import Foundation

/// Writes at once, also into a pipe, where `print` would wait until its buffer is full. What cannot be written is dropped:
/// a full disk or a closed output is no reason to leave the trip half driven.
enum Output {
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  static func line(_ text: String = "") { write(text + "\n") }

  static func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }

  static func error(_ message: String) {
    try? FileHandle.standardError.write(contentsOf: Data("trip-share: \(message)\n".utf8))
  }
}
