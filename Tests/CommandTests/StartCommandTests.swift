import Foundation
import PostgREST
import TestSupport
import Testing

@Suite("swiftwater start")
struct StartCommandTests {
  private func start(_ folder: ScratchFolder, _ arguments: [String] = []) throws -> ChildProgram {
    try ChildProgram("swiftwater", ["start", "--port", "0", "--data", folder.path + "/data"] + arguments)
  }

  @Test("It prints address and keys, serves, and Ctrl-C stops it with nothing left running")
  func startAndStop() async throws {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int primary key);", to: "migrations/1_t.sql")
    let command = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await command.serves(), "\(command.output)")
    let client = try command.client()
    try await client.from("t").insert(["id": 1]).execute()
    #expect(try await client.from("t").select().execute().string == #"[{"id":1}]"#)
    #expect(!processes(mentioning: folder.path).isEmpty)
    command.send(SIGINT)
    #expect(await command.status() == 0)
    #expect(await eventually { processes(mentioning: folder.path).isEmpty })
  }

  @Test("Killed without warning it takes PostgreSQL with it, and no acknowledged row is lost")
  func killed() async throws {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int primary key);", to: "migrations/1_t.sql")
    let first = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await first.serves(), "\(first.output)")
    try await first.client().from("t").insert(["id": 7]).execute()
    first.send(SIGKILL)
    #expect(await first.status() == nil)
    // At once, while the old server may still be on its way out.
    let second = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await second.serves(), "\(second.output)")
    #expect(try await second.client().from("t").select().execute().string == #"[{"id":7}]"#)
    second.send(SIGKILL)
    #expect(await second.status() == nil)
    #expect(await eventually { processes(mentioning: folder.path).isEmpty })
  }

  @Test("When PostgreSQL dies the answer is 503 until it is back, by itself, with every row")
  func databaseDies() async throws {
    let folder = try ScratchFolder()
    try folder.write("create table t (id int primary key); insert into t values (1);", to: "migrations/1_t.sql")
    let command = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await command.serves(), "\(command.output)")
    let client = try command.client()
    #expect(try await client.from("t").select().execute().string == #"[{"id":1}]"#)
    let pidFile = try #require(FileManager.default.contents(atPath: folder.path + "/data/data/postmaster.pid"))
    let first = try #require(String(decoding: pidFile, as: UTF8.self).split(separator: "\n").first)
    let postmaster = try #require(Int32(first))
    kill(postmaster, SIGKILL)
    var statuses: Set<Int> = []
    let isBack = try await eventually(within: .seconds(60)) {
      do {
        return try await client.from("t").select().execute().string == #"[{"id":1}]"#
          && !FileManager.default.fileExists(atPath: "/proc/\(postmaster)")
      } catch let error as PostgrestError {
        error.status.map { _ = statuses.insert($0) }
        return false
      }
    }
    #expect(isBack)
    #expect(statuses.isSubset(of: [503]))
    command.send(SIGTERM)
    #expect(await command.status() == 0)
  }

  @Test("A second backend on the same folder says so and exits with 73")
  func secondOnSameFolder() async throws {
    let folder = try ScratchFolder()
    let first = try start(folder)
    #expect(await first.serves(), "\(first.output)")
    let second = try start(folder)
    #expect(await second.status() == 73)
    #expect(second.output.split(separator: "\n").count == 1, "\(second.output)")
    first.send(SIGINT)
    #expect(await first.status() == 0)
  }

  @Test("Migrations are applied once; a faulty one stops the start with file and line")
  func migrations() async throws {
    let folder = try ScratchFolder()
    try folder.write("\u{FEFF}create table a (id int);\ninsert into a values (1);", to: "migrations/1_a.sql")
    try folder.write("half written", to: "migrations/.#1_a.sql")
    let first = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await first.serves(), "\(first.output)")
    first.send(SIGINT)
    #expect(await first.status() == 0)
    try folder.write("create table b (id int);\n\nselect nonsense;\n", to: "migrations/2_b.sql")
    let second = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await second.status() == 65)
    #expect(second.output.contains("2_b.sql:3: column \"nonsense\" does not exist"), "\(second.output)")
    try folder.write("create table b (id int);", to: "migrations/2_b.sql")
    let third = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await third.serves(), "\(third.output)")
    #expect(try await third.client().from("a").select().execute().string == #"[{"id":1}]"#)
    #expect(try await third.client().from("b").select().execute().string == "[]")
    third.send(SIGINT)
    #expect(await third.status() == 0)
  }

  @Test(
    "Two migrations of one version are named, also when another comes between them",
    arguments: [["1_a.sql", "1_b.sql"], ["1.sql", "10.sql", "1_b.sql"]])
  func sameVersion(names: [String]) async throws {
    let folder = try ScratchFolder()
    for name in names { try folder.write("select 1;", to: "migrations/\(name)") }
    let command = try start(folder, ["--migrations", folder.path + "/migrations"])
    #expect(await command.status() == 65)
    #expect(command.output.contains("1_b.sql has the same version (1) as \(names[0])"), "\(command.output)")
  }

  @Test("A data folder named from a working folder that has been removed is one line and exit 69")
  func workingFolderGone() async throws {
    let folder = try ScratchFolder()
    let program = Bundle.main.bundleURL.appending(path: "swiftwater").path
    let script = #"mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" start --port 0 --data x"#
    let command = try ChildProgram("/bin/sh", ["-c", script, "sh", folder.path + "/gone", program])
    #expect(await command.status() == 69)
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
    #expect(command.output.contains("working folder"), "\(command.output)")
  }

  @Test(
    "Command lines that make no sense exit with 64 and one line",
    arguments: [
      ["start", "--port"], ["start", "--port", "x"], ["start", "--port", "65536"], ["start", "--nope"], ["begin"],
      ["start", "--data", "a", "--database-url", "b"],
    ])
  func usage(arguments: [String]) async throws {
    let command = try ChildProgram("swiftwater", arguments)
    #expect(await command.status() == 64)
    #expect(command.output.hasPrefix("swiftwater: "))
    #expect(command.output.split(separator: "\n").count == 1)
  }

  @Test("A missing migrations folder exits with 66, an unreachable database with 69, each with one line")
  func missing() async throws {
    let folder = try ScratchFolder()
    let migrations = try start(folder, ["--migrations", folder.path + "/nothing"])
    #expect(await migrations.status() == 66)
    #expect(migrations.output.split(separator: "\n").count == 1, "\(migrations.output)")
    let database = try ChildProgram(
      "swiftwater", ["start", "--port", "0", "--database-url", "postgresql://127.0.0.1:1/x"])
    #expect(await database.status() == 69)
    #expect(database.output.split(separator: "\n").count == 1, "\(database.output)")
  }

  @Test(
    "A data folder that PostgreSQL's user cannot enter is one line and exit 77",
    .enabled(if: getuid() == 0, "only root runs PostgreSQL as another user"))
  func untraversable() async throws {
    let folder = try ScratchFolder()
    chmod(folder.path, 0o700)
    let command = try start(folder)
    #expect(await command.status() == 77)
    #expect(command.output.split(separator: "\n").count == 1, "\(command.output)")
    #expect(command.output.contains(folder.path))
  }

  @Test("A port that is taken is one line and exit 69")
  func portTaken() async throws {
    let folder = try ScratchFolder()
    let first = try start(folder)
    #expect(await first.serves(), "\(first.output)")
    let port = try #require(first.value(of: "URL").flatMap(URL.init(string:))?.port)
    let other = try ScratchFolder()
    let second = try ChildProgram("swiftwater", ["start", "--port", "\(port)", "--data", other.path + "/data"])
    #expect(await second.status() == 69)
    #expect(second.output.split(separator: "\n").count == 1, "\(second.output)")
    #expect(await eventually { processes(mentioning: other.path).isEmpty })
    first.send(SIGINT)
    #expect(await first.status() == 0)
  }
}
