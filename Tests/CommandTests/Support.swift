import Foundation
import PostgREST
import TestSupport
import Testing

extension ChildProgram {
  /// The value in a line `name  value` of the output.
  func value(of name: String) -> String? {
    output.split(separator: "\n").compactMap { line -> String? in
      let parts = line.split(separator: "  ", omittingEmptySubsequences: true).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return parts.count == 2 && parts[0] == name ? parts[1] : nil
    }.first
  }

  /// Waits until a `swiftwater start` serves.
  func serves() async -> Bool { await writes("Stop it with Ctrl-C.") }

  /// A client of the `swiftwater start` that this is, with one of its keys.
  func client(key name: String = "service_role key") throws -> PostgrestClient {
    let url = try #require(value(of: "REST").flatMap(URL.init(string:)))
    let key = try #require(value(of: name))
    return PostgrestClient(configuration: .init(url: url, headers: [.apikey: key]))
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

  /// Runs `swiftwater` with these arguments in this folder.
  func swiftwater(_ arguments: String...) throws -> ChildProgram { try swiftwater(arguments: arguments) }

  /// Runs `swiftwater` with these arguments in this folder.
  func swiftwater(arguments: [String]) throws -> ChildProgram {
    let program = Bundle.main.bundleURL.appending(path: "swiftwater").path
    let script = #"cd "$1" && shift && exec "$@""#
    return try ChildProgram("/bin/sh", ["-c", script, "sh", path, program] + arguments)
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
