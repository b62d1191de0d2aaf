import Foundation
import TestSupport
import Testing

/// The Autobahn test suite as it plays the other side of our WebSockets.
struct Autobahn {
  private static let environment = ProcessInfo.processInfo.environment

  /// Whether `./dev test` has found a Python 2.7 and installed it.
  static let isInstalled = environment["SWIFTWATER_PYTHON2"] != nil && environment["SWIFTWATER_AUTOBAHN"] != nil
  /// What a skipped test says.
  static let missing: Comment = "Autobahn needs Python 2.7, which is not here"

  /// Sections of the suite; all of them with `./dev test --full`, which takes many minutes.
  static let cases =
    environment["SWIFTWATER_FULL"] == nil
    ? ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*"]
    : ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "9.*", "10.*", "12.*", "13.*"]

  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "autobahn-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func removeFolder() { try? FileManager.default.removeItem(at: folder) }

  /// Runs all cases and then those that failed alone: Autobahn gives its peer a second to answer and to close, which on a
  /// busy machine can pass with nobody at fault.
  static func failures(
    _ run: (_ autobahn: Autobahn, _ cases: [String]) async throws -> (count: Int, failures: [String: String])
  ) async throws -> (count: Int, failures: [String: String]) {
    let autobahn = try Autobahn()
    defer { autobahn.removeFolder() }
    let (count, failures) = try await run(autobahn, cases)
    guard !failures.isEmpty else { return (count, failures) }
    let again = try Autobahn()
    defer { again.removeFolder() }
    return (count, try await run(again, failures.keys.sorted()).failures)
  }

  /// Starts it with what it shall do; reports lie in `folder` when it has ended.
  func start(mode: String, cases: [String], specification: [String: any Sendable]) throws -> ChildProgram {
    var specification: [String: Any] = specification
    specification["outdir"] = folder.appending(path: "reports").path
    specification["cases"] = cases
    specification["exclude-cases"] = [String]()
    specification["exclude-agent-cases"] = [String: [String]]()
    let file = folder.appending(path: "specification.json")
    try JSONSerialization.data(withJSONObject: specification).write(to: file)
    let python = try #require(Self.environment["SWIFTWATER_PYTHON2"])
    let installation = try #require(Self.environment["SWIFTWATER_AUTOBAHN"])
    let launcher = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Witnesses/run-autobahn.py")
    return try ChildProgram(
      python,
      [
        "-W", "ignore", launcher.standardizedFileURL.path, installation, "--mode", mode, "--spec", file.path,
        "--webport", "0",
      ])
  }

  private struct Result: Decodable {
    let behavior: String
    let behaviorClose: String
  }

  /// How many cases were run, and what is wrong with those that failed, by their numbers.
  func results() throws -> (count: Int, failures: [String: String]) {
    let data = try Data(contentsOf: folder.appending(path: "reports/index.json"))
    let agents = try JSONDecoder().decode([String: [String: Result]].self, from: data)
    let cases = agents.values.flatMap { $0 }
    let good: Set = ["OK", "NON-STRICT", "INFORMATIONAL"]
    let failures = cases.filter { !good.contains($0.value.behavior) || !good.contains($0.value.behaviorClose) }
    let words = failures.map { ($0.key, "\($0.value.behavior), closing \($0.value.behaviorClose)") }
    return (cases.count, Dictionary(words) { first, _ in first })
  }
}
