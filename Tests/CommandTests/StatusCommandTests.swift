import Foundation
import PostgREST
import TestSupport
import Testing

@Suite("swiftwater status")
struct StatusCommandTests {
  @Test("It prints what the running backend has printed, and says plainly when none runs any more")
  func running() async throws {
    let folder = try ScratchFolder()
    let before = try folder.swiftwater("status")
    #expect(await before.status() == 69)
    #expect(before.output == "swiftwater: no backend runs on .swiftwater. swiftwater start runs one.\n")
    let backend = try folder.swiftwater("start", "--port", "0")
    #expect(await backend.serves(), "\(backend.output)")
    let status = try folder.swiftwater("status")
    #expect(await status.status() == 0)
    for name in ["URL", "REST", "Auth", "Inbox", "Database", "psql", "anon key", "service_role key", "Mode", "Process"]
    {
      #expect(status.value(of: name) == backend.value(of: name))
      #expect(status.value(of: name) != nil)
    }
    let json = try folder.swiftwater("status", "--json")
    #expect(await json.status() == 0)
    let record = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(record?["url"] as? String == backend.value(of: "URL"))
    let other = try folder.swiftwater("status", "--data", "elsewhere")
    #expect(await other.status() == 69)
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
    let after = try folder.swiftwater("status")
    #expect(await after.status() == 69)
  }

  @Test("What it tells the user to call is called so, under the name that the program goes by")
  func hints() async throws {
    let folder = try ScratchFolder()
    let program = Bundle.main.bundleURL.appending(path: "swiftwater").path
    func output(_ arguments: String...) async throws -> String {
      let script = #"cd "$1" && shift && SWIFTWATER_COMMAND="../dev swiftwater" exec "$@""#
      let command = try ChildProgram("/bin/sh", ["-c", script, "sh", folder.path, program] + arguments)
      _ = await command.status()
      return command.output
    }
    #expect(try await output("status").hasSuffix(". ../dev swiftwater start runs one.\n"))
    #expect(try await output("status", "--data", "a").hasSuffix(". ../dev swiftwater start --folder a runs one.\n"))
    #expect(try await output("db", "psql").hasSuffix(": ../dev swiftwater start makes one.\n"))
    #expect(try await output("start", "--nope").hasSuffix(" See ../dev swiftwater start --help.\n"))
    #expect(try await output("begin").hasSuffix(" See ../dev swiftwater help.\n"))
    let backend = try folder.swiftwater("start", "--port", "0")
    #expect(await backend.serves(), "\(backend.output)")
    #expect(backend.value(of: "psql") == "swiftwater db psql")
    #expect(try await output("status").contains("  ../dev swiftwater db psql\n"))
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
  }

  @Test("A backend that was killed does not run, whatever it has left behind; strangers cannot read its keys")
  func killed() async throws {
    let folder = try ScratchFolder()
    let backend = try folder.swiftwater("start", "--port", "0")
    #expect(await backend.serves(), "\(backend.output)")
    func records() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.swiftwater").filter { $0.hasSuffix(".json") }
    }
    let record = try #require(try records().first)
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/.swiftwater/\(record)")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    backend.send(SIGKILL)
    #expect(await backend.status() == nil)
    let status = try folder.swiftwater("status")
    #expect(await status.status() == 69)
    #expect(try records().isEmpty)
    #expect(await eventually { processes(mentioning: folder.path).isEmpty })
  }

  @Test("Backends on a database of others are found by the folder they were started in; that database is not reset")
  func sharedDatabase() async throws {
    let (owner, folder) = (try ScratchFolder(), try ScratchFolder())
    try owner.write("create table t (id int);", to: "supabase/migrations/1_t.sql")
    try folder.write("create table not_asked_for (id int);", to: "supabase/migrations/1_no.sql")
    let first = try owner.swiftwater("start", "--port", "0")
    #expect(await first.serves(), "\(first.output)")
    let database = try #require(first.value(of: "Database"))
    let others = try (0..<2).map { _ in try folder.swiftwater("start", "--port", "0", "--database-url", database) }
    for other in others { #expect(await other.serves(), "\(other.output)") }
    try await others[0].client().from("t").insert(["id": 1]).execute()
    #expect(try await others[1].client().from("t").select().execute().string == #"[{"id":1}]"#)
    #expect(others[0].value(of: "Mode") == "normal")

    let status = try folder.swiftwater("status")
    #expect(await status.status() == 0)
    for other in others { #expect(status.output.contains(try #require(other.value(of: "URL")))) }
    let rows = try folder.swiftwater("db", "psql", "-Atc", "select id, to_regclass('not_asked_for') is null from t")
    #expect(await rows.status() == 0, "\(rows.output)")
    #expect(rows.output == "1|t\n")
    let reset = try folder.swiftwater("db", "reset")
    #expect(await reset.status() == 64)
    #expect(reset.output.contains("--yes"), "\(reset.output)")
    for other in others {
      other.send(SIGINT)
      #expect(await other.status() == 0)
    }
    #expect(try await first.client().from("t").select().execute().string == #"[{"id":1}]"#)
    first.send(SIGINT)
    #expect(await first.status() == 0)
  }
}
