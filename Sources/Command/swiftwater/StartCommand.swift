import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend

/// `swiftwater start`
enum StartCommand {
  private static let defaultPort = 54321

  static func run(_ arguments: ArraySlice<String>) async -> Int32 {
    await Command.run("start") {
      let (configuration, folder) = try configuration(arguments)
      let (backend, record, path) = try await Project.makingFolder(folder) {
        let backend = try await Command.interruptible { try await LocalBackend.start(configuration) }
        let record = BackendRecord(backend, configuration)
        return (backend, record, record.write(to: folder))
      }
      Terminal.endProgress()
      Terminal.show(record, of: folder)
      print("Stop it with Ctrl-C.")
      Terminal.flush()
      _ = await TerminationSignal.next()
      print("Stopping.")
      if let path { try? FileManager.default.removeItem(atPath: path) }
      await backend.stop()
      return ExitStatus.ok
    }
  }

  private static func configuration(
    _ arguments: ArraySlice<String>
  ) throws -> (LocalBackend.Configuration, folder: String) {
    let options = try Options(
      arguments,
      valued: [
        "--data", "--folder", "--port", "--host", "--database-url", "--migrations", "--seed", "--jwt-secret-file",
        "--jwt-keys", "--jwt-signing-key", "--site-url", "--redirect-url",
      ], flags: ["--prepare", "--development", "--autoconfirm"])
    let (url, folder) = try options.storage()
    var port = defaultPort
    if let text = options["--port"] {
      guard let number = Int(text), (0...65535).contains(number) else {
        throw UsageError(message: "--port needs a number from 0 to 65535, not \(text).")
      }
      port = number
    }
    var configuration = LocalBackend.Configuration(
      port: port, storage: url.map { .database($0) } ?? .folder(folder),
      preparesDatabase: url == nil || options.has("--prepare"))
    if let host = options["--host"] { configuration.host = host }
    // In a database of others nothing is made that nobody has asked for.
    configuration.migrations = options["--migrations"] ?? (url == nil ? Project.migrations : nil)
    configuration.seed = options["--seed"] ?? (url == nil ? Project.seed : nil)
    if let path = options["--jwt-secret-file"] { configuration.jwtSecret = try text(path) }
    if let path = options["--jwt-keys"] { configuration.jwtKeys = try text(path) }
    if let path = options["--jwt-signing-key"] { configuration.jwtSigningKey = try text(path) }
    if let url = options["--site-url"] { configuration.auth.siteURL = url }
    if let list = options["--redirect-url"] {
      configuration.auth.redirectURLs = list.split(separator: ",").map(String.init)
    }
    if options.has("--autoconfirm") {
      (configuration.auth.confirmsEmailAtOnce, configuration.auth.confirmsPhoneAtOnce) = (true, true)
    }
    if options.has("--development") { configuration.isDevelopment = true }
    configuration.onProgress = { Terminal.show($0) }
    configuration.onChangedFile = { path in
      let reset = Command.line("db reset", on: folder)
      Terminal.warn("\(path) has changed since it was applied; `\(reset)` applies it anew")
    }
    return (configuration, folder)
  }

  /// A file's text without the line break that editors put at its end.
  private static func text(_ path: String) throws(LocalBackendError) -> String {
    guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
    else { throw LocalBackendError(code: .inputMissing, message: "The file \(path) cannot be read as UTF-8 text.") }
    return String(text.trimmingSuffix(while: \.isNewline))
  }

  static let help = """
    swiftwater start [OPTIONS]

    Runs the backend in the foreground until Ctrl-C, for the project in this folder: its
    supabase/migrations/*.sql are applied in the order of their names, then its
    supabase/seed.sql, each once. One that has changed since then is named.

      --data FOLDER           keep the rows in this folder (default: .swiftwater)
      --port PORT             listen on this port (default: 54321; 0 takes a free one)
      --host ADDRESS          listen on this address (default: 127.0.0.1); one that others
                              reach needs a secret of your own
      --migrations FOLDER     apply the *.sql files of this folder instead
      --seed FILE             run this file after the migrations instead
      --jwt-secret-file FILE  sign and verify tokens with the secret in this file (at least
                              32 bytes)
      --jwt-keys FILE         also believe tokens signed by the keys of this JSON Web Key
                              Set (RS256, ES256, HS256)
      --jwt-signing-key FILE  sign users' tokens with this private JSON Web Key (P-256)
                              instead of the secret

      --site-url URL          where the application lives, to which links in mails lead
                              (default: http://127.0.0.1:3000)
      --redirect-url URLS     further addresses that they may lead to, with * and **,
                              separated by commas
      --autoconfirm           take addresses and phone numbers as confirmed at once

      --database-url URL      use this PostgreSQL instead of a private one; nothing is made
                              in it but what --migrations, --seed and --prepare ask for
      --prepare               make the roles, schemas and grants that the services need
      --development           trust whoever reaches the backend as its developer; so it is
                              without being asked with rows in a folder and no secret of
                              your own
    """
}

extension String {
  fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
    var end = endIndex
    while end > startIndex, condition(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
