import Foundation
import SwiftwaterStreams
import TestSupport

/// A program of this package, running.
final class Command: Sendable {
  private let process: LockIsolated<Process>
  private let text = LockIsolated("")

  /// Everything it has written so far, to both outputs.
  var output: String { text.value }
  var identifier: Int32 { process.withLock { $0.processIdentifier } }

  /// Starts the program of that name, which lies beside the tests.
  init(_ name: String, _ arguments: [String], in folder: String? = nil) throws {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: name)
    process.arguments = arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    self.process = LockIsolated(process)
    pipe.fileHandleForReading.readabilityHandler = { [text] handle in
      let data = handle.availableData
      if data.isEmpty { handle.readabilityHandler = nil }
      text.withLock { $0 += String(decoding: data, as: UTF8.self) }
    }
    try self.process.withLock { try $0.run() }
  }

  /// Waits until the output contains the text; false when it does not within the deadline.
  func writes(_ expected: String) async -> Bool {
    await eventually(within: .seconds(60)) { self.output.contains(expected) || !self.isRunning }
      && output.contains(expected)
  }

  var isRunning: Bool { process.withLock { $0.isRunning } }

  func send(_ signal: Int32) { kill(identifier, signal) }

  /// Waits for the end and returns the exit status; nil when a signal ended it or it does not end.
  func status() async -> Int32? {
    guard await eventually(within: .seconds(60), { !self.isRunning }) else { return nil }
    return process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : nil }
  }

  /// The value in a line `name  value` of the output.
  func value(of name: String) -> String? {
    output.split(separator: "\n").compactMap { line -> String? in
      let parts = line.split(separator: "  ", omittingEmptySubsequences: true).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return parts.count == 2 && parts[0] == name ? parts[1] : nil
    }.first
  }
}

/// A folder that is removed with the value.
final class ScratchFolder: Sendable {
  let path: String

  init() throws {
    path = "/tmp/swiftwater-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file in the folder.
  func write(_ text: String, to name: String) throws {
    let file = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
}

/// The processes whose command line contains the text.
func processes(mentioning text: String) -> [Int32] {
  let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return entries.compactMap { Int32($0) }.filter { identifier in
    guard identifier != ProcessInfo.processInfo.processIdentifier,
      let data = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline")
    else { return false }
    return String(decoding: data, as: UTF8.self).contains(text)
  }
}
