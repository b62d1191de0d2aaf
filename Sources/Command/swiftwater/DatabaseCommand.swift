import FoundationEssentials
import SwiftwaterBackend

/// `swiftwater db reset`, `db dump`, `db psql`
enum DatabaseCommand {
  static func run(_ arguments: ArraySlice<String>) async -> Int32 {
    var arguments = arguments
    let command = arguments.popFirst()
    // What belongs to psql is psql's, also its --help.
    if command != "psql", arguments.contains(where: { ["--help", "-h"].contains($0) }) {
      print(help)
      return ExitStatus.ok
    }
    return await Command.run("db") {
      switch command {
      case "reset": return try await reset(arguments)
      case "dump": return try await dump(arguments)
      case "psql": return try await psql(arguments)
      case "--help", "-h", "help":
        print(help)
        return ExitStatus.ok
      case nil: throw UsageError(message: "db needs a command: reset, dump or psql.")
      case let unknown?: throw UsageError(message: "unknown command db \(unknown).")
      }
    }
  }

  private static func reset(_ arguments: ArraySlice<String>) async throws -> Int32 {
    let options = try Options(
      arguments, valued: ["--folder", "--data", "--database-url", "--migrations", "--seed"], flags: ["--yes"])
    let target = try DatabaseTarget(options)
    guard target.isOurs || options.has("--yes") else {
      throw UsageError(message: "db reset drops everything in a database that is not the backend's own: add --yes.")
    }
    var configuration = target.configuration
    configuration.migrations = options["--migrations"] ?? target.record?.migrations ?? Project.migrations
    configuration.seed = options["--seed"] ?? target.record?.seed ?? Project.seed
    configuration.onProgress = { Terminal.show($0) }
    try await Project.makingFolder(target.folder) { [configuration] in
      try await Command.interruptible { try await LocalBackend.resetDatabase(configuration) }
    }
    Terminal.endProgress()
    print("The database is as migrations and seed make it.")
    return ExitStatus.ok
  }

  private static func dump(_ arguments: ArraySlice<String>) async throws -> Int32 {
    var words = arguments
    for index in words.indices where words[index] == "-f" { words[index] = "--file" }
    let options = try Options(words, valued: ["--folder", "--database-url", "--file"], flags: ["--data"])
    let target = try DatabaseTarget(options)
    try target.checkExistence()
    let file = try options["--file"].map(OutputFile.init)
    var command = [try await LocalBackend.databaseProgram("pg_dump"), "--no-owner", "--no-publications"]
    command +=
      options.has("--data")
      // Rows as statements: a seed cannot hold those of COPY.
      ? ["--data-only", "--column-inserts", "--rows-per-insert=500"] : ["--schema-only"]
    // What the backend makes by itself, and the migrations' list.
    command += ["auth", "extensions", "realtime", "storage", "supabase_migrations"].map { "--exclude-schema=\($0)" }
    if options.has("--data") {
      if let file { command.append("--file=\(file.path)") }
      return try await target.run(command) { ["--dbname=\($0)"] }
    }
    let draft = FileManager.default.temporaryDirectory.appending(path: "swiftwater-\(UUID().uuidString).sql")
    defer { try? FileManager.default.removeItem(at: draft) }
    command.append("--file=\(draft.path)")
    let status = try await target.runAndWait(command) { ["--dbname=\($0)"] }
    guard status == 0 else { return status }
    let sql = SchemaDump.tidied(try String(contentsOf: draft, encoding: .utf8))
    if let file { try file.write(sql) } else { print(sql, terminator: "") }
    return status
  }

  private static func psql(_ arguments: ArraySlice<String>) async throws -> Int32 {
    var own: [String] = []
    var rest = arguments
    while let word = rest.first, let name = word.split(separator: "=").first,
      ["--folder", "--data", "--database-url"].contains(name)
    {
      own += rest.prefix(word.contains("=") ? 1 : 2)
      rest = rest.dropFirst(word.contains("=") ? 1 : 2)
    }
    if rest.first == "--" { rest = rest.dropFirst() }
    let target = try DatabaseTarget(try Options(own[...], valued: ["--folder", "--data", "--database-url"]))
    try target.checkExistence()
    let program = try await LocalBackend.databaseProgram("psql")
    let words = Array(rest)
    return try await target.run([program]) { ["--dbname=\($0)"] + words }
  }

  static let help = """
    swiftwater db COMMAND [OPTIONS]

    Works on the database of the backend that runs on this folder; where none runs,
    PostgreSQL is started for the while.

      reset                  drop everything, then apply supabase/migrations/*.sql and
                             supabase/seed.sql anew
        --migrations FOLDER    apply the *.sql files of this folder instead
        --seed FILE            run this file after the migrations instead
        --yes                  also in a database that is not the backend's own

      dump                   print what would make the project's schemas, for a migration
        --data                 print the rows instead, for a seed
        -f FILE, --file FILE   write into this file

      psql [ARGUMENTS]       run psql with these arguments

      for each:
        --folder FOLDER        where the backend keeps its rows (default: .swiftwater)
        --database-url URL     the database at this URL instead
    """
}
