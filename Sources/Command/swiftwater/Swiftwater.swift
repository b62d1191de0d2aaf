import SwiftwaterBackend

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The command line of the local backend.
@main
struct Swiftwater {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    let command = arguments.popFirst()
    let asksForHelp = arguments.contains { ["--help", "-h"].contains($0) }
    switch command {
    case "start" where asksForHelp: print(StartCommand.help)
    case "start": await exit(StartCommand.run(arguments))
    case "status" where asksForHelp: print(StatusCommand.help)
    case "status": await exit(StatusCommand.run(arguments))
    case "inbox" where asksForHelp: print(InboxCommand.help)
    case "inbox": await exit(InboxCommand.run(arguments))
    case "db": await exit(DatabaseCommand.run(arguments))
    case "help", "--help", "-h": print(help)
    case "version", "--version": print("swiftwater \(version)")
    case nil:
      print(help)
      exit(ExitStatus.usage)
    case let unknown?:
      Terminal.fail("unknown command \(unknown). See \(Command.name) help.")
      exit(ExitStatus.usage)
    }
  }

  /// The newest version of the changelog.
  private static let version = "0.1.0"

  private static let help = """
    swiftwater COMMAND

      start       run the backend in the foreground until Ctrl-C
      status      print address and keys of the backend that runs on this folder
      inbox       print the mails and text messages to users that were kept
      db reset    make the database anew from migrations and seed
      db dump     print the database's schemas or rows as SQL
      db psql     open a psql on the database
      help        this text
      version     the version

    COMMAND --help tells the options.
    """
}
