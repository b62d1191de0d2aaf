import Foundation
import TestSupport
import Testing

@Suite("What must not compile")
struct CompileFailureTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  /// What `swift build` has made beside the program that runs these tests.
  private static let products = Bundle.main.bundleURL

  /// The C modules that the compiled modules were made with.
  private static var moduleFlags: [String] {
    let libraries = root.appending(path: "Sources/CLibraries")
    let folders = (try? FileManager.default.contentsOfDirectory(at: libraries, includingPropertiesForKeys: nil)) ?? []
    return folders.flatMap { ["-I", $0.path] } + [
      "-I", products.appending(path: "Modules").path,
      "-Xcc", "-fmodule-map-file=\(products.appending(path: "CSystem.build/module.modulemap").path)",
    ]
  }

  @Test(
    "Lines of a fixture that must fail to compile do, and the others compile",
    .enabled(
      if: FileManager.default.fileExists(atPath: products.appending(path: "Modules").path),
      "The compiled modules are not where they are expected."),
    arguments: ["PostgREST.swift", "Supabase.swift"])
  func fixture(name: String) async throws {
    let file = Self.root.appending(path: "Tests/CompileFailures/\(name)")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let expected = lines.indices.filter { lines[$0].hasSuffix("// must fail") }.map { $0 + 1 }
    let swiftc = try ChildProgram(
      "/usr/bin/env",
      ["swiftc", "-typecheck", "-module-name", "Fixture", "-swift-version", "6"] + Self.moduleFlags + [file.path])
    #expect(await swiftc.status() == 1)
    let failed = swiftc.output.matches(of: #/\.swift:(?<line>\d+):\d+: error: /#).compactMap { Int($0.line) }
    #expect(Set(failed) == Set(expected), "\(swiftc.output)")
    #expect(!expected.isEmpty)
  }
}
