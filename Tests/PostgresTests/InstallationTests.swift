import Testing

@testable import SwiftwaterPostgres

@Suite("Finding PostgreSQL")
struct InstallationTests {
  @Test("The newest usable one is found")
  func found() async throws {
    let found = try await PostgresInstallation.find()
    #expect(found.majorVersion >= PostgresInstallation.oldestMajorVersion)
    #expect(Files.isExecutable("\(found.binaries)/initdb"))
    #expect(try PostgresInstallation.locate(majorVersion: found.majorVersion).majorVersion == found.majorVersion)
  }

  @Test("The variable is the only place to look, if it is set")
  func variable() throws {
    let found = try PostgresInstallation.locate()
    let again = try PostgresInstallation.locate { $0 == "SWIFTWATER_POSTGRES_BIN" ? found.binaries : nil }
    #expect(again == found)
    let error = #expect(throws: PostgresError.self) {
      try PostgresInstallation.locate { $0 == "SWIFTWATER_POSTGRES_BIN" ? "/nowhere" : "/usr/bin" }
    }
    #expect(error?.code == .notInstalled && error?.message.contains("/nowhere") == true)
  }

  @Test("If there is none, the error says how to install one")
  func missing() {
    let error = #expect(throws: PostgresError.self) { try PostgresInstallation.locate(majorVersion: 9999) }
    #expect(error?.code == .notInstalled && error?.message.contains("apt-get install postgresql") == true)
  }

  @Test("A server is restarted at once, then ever later, until it has run for a while")
  func restartPause() {
    var pause = RestartPause()
    #expect(pause.next() == .zero)
    let pauses = (0..<12).map { _ in pause.next() }
    #expect(pauses == pauses.sorted() && pauses.first == .milliseconds(100) && pauses.last == .seconds(5))
    pause.ranFor(.seconds(1))
    #expect(pause.next() == .seconds(5))
    pause.ranFor(.seconds(60))
    #expect(pause.next() == .zero)
  }
}
