import Foundation
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

  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  struct Snippet: Sendable, CustomTestStringConvertible {
    var file: String
    var text: String
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

  @Test("Every Swift snippet in a Markdown file stands in a file that is compiled", arguments: snippets)
  func isCompiled(snippet: Snippet) {
    let wanted = Self.lines(snippet.text)
    let isFound = Self.sources.contains { source in
      guard let first = wanted.first, source.count >= wanted.count else { return false }
      return (0...(source.count - wanted.count)).contains { start in
        source[start] == first && source[start..<start + wanted.count].elementsEqual(wanted)
      }
    }
    #expect(isFound, "\(snippet.file):\n\(snippet.text)")
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
