// One process of several that share a session. Its server is a folder in which each refresh token is a file that can be
// made once: whoever is second is refused.
//
//   session-child FOLDER refresh COUNT   renews it so often, from four tasks at once
//   session-child FOLDER hang            spends the token, says so, and never gets an answer
//   session-child FOLDER save            puts a session in force, and says what came of it
import FoundationEssentials
import SwiftwaterSessions

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

struct Session: Codable, Sendable {
  var token: Int
  var user = "anna"
  var lifetime = 3600
  var expiresAt = Date().addingTimeInterval(3600)
}

struct Reused: Error {
  let token: Int
}

let folder = CommandLine.arguments[1]
let mode = CommandLine.arguments[2]

@Sendable func say(_ text: String) {
  print(text)
  fflush(nil)
}

/// Spends a token as a server does: once.
@Sendable func spend(_ token: Int) throws {
  let file = open("\(folder)/spent-\(token)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
  guard file >= 0 else { throw Reused(token: token) }
  close(file)
}

let manager = CredentialManager(
  CredentialScheme<Session>(
    validity: { CredentialValidity(expiresAt: $0.expiresAt, lifetime: .seconds($0.lifetime)) },
    refresh: { session in
      try spend(session.token)
      if mode == "hang" {
        say("rotated")
        try await Task.sleep(for: .seconds(100_000))
      }
      try await Task.sleep(for: .microseconds(.random(in: 0...2000)))
      return Session(token: session.token + 1, user: session.user)
    },
    classify: { $0 is Reused ? .refused : .transient() }),
  store: FileCredentialStore(folder: folder, key: "session"))

do {
  switch mode {
  case "save":
    try await manager.set(Session(token: 1))
    say("saved")
  case "hang":
    _ = try await manager.refresh()
  default:
    let count = Int(CommandLine.arguments[3]) ?? 1
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<count { try await manager.refresh() } }
      }
      try await group.waitForAll()
    }
    say("done")
  }
} catch {
  say("failed: \(error); in memory: \(manager.current.map { "\($0.token)" } ?? "nothing")")
}
await manager.shutDown()
