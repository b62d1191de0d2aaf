import TestSupport
import Testing

@testable import SwiftwaterPostgres

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Guarded programs")
struct GuardTests {
  /// A program that tells its number in a file and sleeps until it is interrupted, which a shell cannot be told to.
  private static let sleeper = [
    "/usr/bin/perl", "-e", "$SIG{INT} = 'DEFAULT'; open(F, '>', $ARGV[0]); print F $$; close F; sleep 1000",
  ]

  /// Starts a guarded program that tells its number in a file and then sleeps.
  private func start(_ folder: String) async throws -> (GuardedProcess, program: pid_t) {
    let log = try ChildProcess.openNull()
    defer { close(log) }
    mkdir("\(folder)/removed", 0o700)
    let process = try GuardedProcess.start(
      Self.sleeper + ["\(folder)/number"], as: nil, removing: "\(folder)/removed", log: log)
    var number: pid_t?
    #expect(
      await eventually {
        number = Files.tail("\(folder)/number").flatMap { pid_t($0.filter(\.isNumber)) }
        return number != nil
      })
    return (process, try #require(number))
  }

  @Test("A program ends, and its folder goes, when the process that holds the pipe is killed")
  func killedHolder() async throws {
    try await withFolder { folder in
      // A backend in small: a shell whose child, with the guard's script, hangs on a pipe that "sleep" holds.
      let log = try ChildProcess.openNull()
      defer { close(log) }
      mkdir("\(folder)/removed", 0o700)
      let backend = #"holder=$1; shift; sh -c 'echo $$ > "$1"; exec sleep 1000' sh "$holder" | sh -c "$@""#
      let shell = try ChildProcess.start(
        ["/bin/sh", "-c", backend, "sh", "\(folder)/holder", GuardedProcess.script, "guard", "\(folder)/removed"]
          + Self.sleeper + ["\(folder)/number"],
        input: log, output: log, error: log)
      var holder: pid_t?
      var guarded: pid_t?
      #expect(
        await eventually {
          holder = Files.tail("\(folder)/holder").flatMap { pid_t($0.filter(\.isNumber)) }
          guarded = Files.tail("\(folder)/number").flatMap { pid_t($0.filter(\.isNumber)) }
          return holder != nil && guarded != nil
        })
      let number = try #require(guarded)
      #expect(isAlive(number))
      kill(try #require(holder), SIGKILL)
      #expect(await eventually { !isAlive(number) && !Files.exists("\(folder)/removed") })
      #expect(await exitStatus(of: shell) != nil)
    }
  }

  @Test("A program ends when the pipe closes, though other children were started meanwhile")
  func lifeline() async throws {
    try await withFolder { folder in
      let (process, program) = try await start(folder)
      let log = try ChildProcess.openNull()
      let bystander = try ChildProcess.start(["/bin/sleep", "1000"], input: log, output: log, error: log)
      close(log)
      close(process.lifeline)
      #expect(await exitStatus(of: process.guardIdentifier) != nil)
      #expect(!isAlive(program) && !Files.exists("\(folder)/removed"))
      #expect(isAlive(bystander))
      kill(bystander, SIGKILL)
      #expect(await exitStatus(of: bystander) == 128 + SIGKILL)
    }
  }

  @Test("When the program ends by itself its folder stays and its status comes through")
  func ownEnd() async throws {
    try await withFolder { folder in
      let (process, program) = try await start(folder)
      kill(program, SIGKILL)
      #expect(await exitStatus(of: process.guardIdentifier) == 128 + SIGKILL)
      #expect(Files.exists("\(folder)/removed"))
      close(process.lifeline)
    }
  }

  @Test("A guard and its program live in a session of their own")
  func session() async throws {
    try await withFolder { folder in
      let (process, program) = try await start(folder)
      #expect(getsid(program) == process.guardIdentifier && getsid(program) != getsid(0))
      close(process.lifeline)
      #expect(await exitStatus(of: process.guardIdentifier) != nil)
    }
  }

  #if os(Linux)
    @Test("A child inherits no descriptor but its standard ones, and no blocked or ignored signal")
    func inheritance() throws {
      // Unlike ours, without close-on-exec.
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0)
      defer { for end in ends { close(end) } }
      let descriptors = try ChildProcess.output(of: ["/bin/sh", "-c", "echo /proc/$$/fd/*"])
      let numbers = descriptors.text.split(whereSeparator: \.isWhitespace).compactMap { $0.split(separator: "/").last }
      #expect(numbers.prefix(3) == ["0", "1", "2"] && !numbers.contains { $0 == "\(ends[0])" || $0 == "\(ends[1])" })
      let signals = try ChildProcess.output(of: ["/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"])
      // Signals 32 and 33 belong to the C library.
      let masks = signals.text.split(separator: "\n").compactMap { UInt64($0.dropFirst(8), radix: 16) }
      #expect(masks.count == 2 && masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 })
    }
  #endif
}
