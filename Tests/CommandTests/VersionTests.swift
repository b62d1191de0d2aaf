import Foundation
import TestSupport
import Testing

@Suite("The version")
struct VersionTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized

  @Test("Command, changelog and client name the same one", arguments: ["version", "--version"])
  func version(word: String) async throws {
    let changelog = try String(contentsOf: Self.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = try #require(changelog.firstMatch(of: /\n## (?<version>\d+\.\d+\.\d+)/)?.version)
    let command = try ChildProgram("swiftwater", [word])
    #expect(await command.status() == 0)
    #expect(command.output == "swiftwater \(newest)\n")
    let client = Self.root.appending(path: "Sources/Supabase/Helpers/ClientInfo.swift")
    #expect(try String(contentsOf: client, encoding: .utf8).contains("version = \"\(newest)\""))
  }
}
