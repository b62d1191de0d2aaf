import Foundation
import TestSupport
import Testing

/// What the documentation shows is what the compiler has seen.
@Suite("Documentation")
struct SnippetTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  /// All files below the package's folder with that extension.
  private static func files(_ ending: String) -> [URL] {
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "Sources", "Tests", "Examples", "Benchmarks"].flatMap {
      name -> [URL] in
      let url = root.appending(path: name)
      guard let tree = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil) else { return [url] }
      return name.hasSuffix(".md") ? [url] : tree.compactMap { $0 as? URL }
    }.filter { $0.pathExtension == ending }
  }

  /// The lines without indentation, empty ones and the `private` or `fileprivate` that a test needs around a snippet.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { line in
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      let access = ["private ", "fileprivate "].first(where: trimmed.hasPrefix) ?? ""
      return String(trimmed.dropFirst(access.count))
    }.filter { !$0.isEmpty }
  }

  struct Snippet: Sendable, CustomTestStringConvertible {
    var file: String
    var text: String
    var isManifest: Bool { text.hasPrefix("// swift-tools-version") }
    var testDescription: String { "\(file): \(text.split(separator: "\n").first ?? "")" }
  }

  private static let snippets: [Snippet] = files("md").flatMap { url -> [Snippet] in
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return [] }
    let parts = text.components(separatedBy: "```")
    return stride(from: 1, to: parts.count, by: 2).compactMap { index in
      guard parts[index].hasPrefix("swift\n") else { return nil }
      return Snippet(file: url.lastPathComponent, text: String(parts[index].dropFirst("swift\n".count)))
    }
  }

  private static let sources: [[String]] = files("swift").compactMap { url in
    (try? String(contentsOf: url, encoding: .utf8)).map { lines($0) }
  }

  @Test(
    "Every Swift snippet in a Markdown file stands in one file that is compiled, line by line",
    arguments: snippets.filter { !$0.isManifest })
  func isCompiled(snippet: Snippet) {
    // A test's own lines may stand between those of the snippet.
    let isFound = Self.sources.contains { source in
      var remaining = Self.lines(snippet.text)[...]
      for line in source where line == remaining.first { remaining.removeFirst() }
      return remaining.isEmpty
    }
    #expect(isFound, "\(snippet.file):\n\(snippet.text)")
  }

  @Test("Every manifest in a Markdown file is one that SwiftPM reads", arguments: snippets.filter(\.isManifest))
  func isManifest(snippet: Snippet) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiftwater-manifest-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(snippet.text.utf8).write(to: folder.appending(path: "Package.swift"))
    let swift = try ChildProgram("/usr/bin/env", ["swift", "package", "--package-path", folder.path, "dump-package"])
    #expect(await swift.status() == 0, "\(swift.output)")
    #expect(swift.output.contains("SwiftwaterBackend"))
  }

  @Test("What snippets of the guides import is a product of the package", arguments: snippets.filter { !$0.isManifest })
  func isProduct(snippet: Snippet) throws {
    let package = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    for line in Self.lines(snippet.text) where line.hasPrefix("import ") {
      let module = line.dropFirst("import ".count)
      let isOfTheSystem = module.hasPrefix("Foundation") || ["Testing", "Observation", "SwiftUI"].contains(module)
      #expect(isOfTheSystem || package.contains(".library(name: \"\(module)\""), "\(snippet.file) imports \(module)")
    }
  }

  @Test("Links between documents lead somewhere")
  func links() throws {
    for url in Self.files("md") where url.pathComponents.contains("docs") || url.lastPathComponent == "README.md" {
      let text = try String(contentsOf: url, encoding: .utf8)
      for match in text.matches(of: /\]\((?<target>[^)#:]+)\)/) {
        let target = url.deletingLastPathComponent().appending(path: String(match.target))
        #expect(FileManager.default.fileExists(atPath: target.path), "\(url.lastPathComponent): \(match.target)")
      }
    }
  }
}
