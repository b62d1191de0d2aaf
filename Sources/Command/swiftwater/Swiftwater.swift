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
    switch arguments.popFirst() {
    case "start" where arguments.contains { ["--help", "-h"].contains($0) }:
      print(help)
    case "start":
      await exit(StartCommand.run(arguments))
    case "help", "--help", "-h":
      print(help)
    case nil:
      print(help)
      exit(ExitStatus.usage)
    case let unknown?:
      Terminal.fail("unknown command \(unknown). See swiftwater help.")
      exit(ExitStatus.usage)
    }
  }

  private static let help = """
    swiftwater COMMAND

      start [OPTIONS]       run the backend in the foreground until Ctrl-C
        --data FOLDER         keep the rows in this folder (default: .swiftwater)
        --port PORT           listen on this port of 127.0.0.1 (default: 54321; 0 takes a free one)
        --database-url URL    use this PostgreSQL instead of a private one; nothing is created in it
        --migrations FOLDER   apply its *.sql files in the order of their names, each once

      help                  this text
    """
}
