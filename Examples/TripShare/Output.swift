import Foundation

/// Writes at once, also into a pipe, where `print` would wait until its buffer is full.
enum Output {
  static let isTerminal = isatty(STDOUT_FILENO) == 1

  static func line(_ text: String = "") { write(text + "\n") }

  static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

  static func error(_ message: String) { FileHandle.standardError.write(Data("trip-share: \(message)\n".utf8)) }
}
