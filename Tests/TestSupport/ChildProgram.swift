internal import CSystem
internal import Foundation
internal import SwiftwaterStreams

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A program of this package, running in the tests' own process group, so that Ctrl-C reaches it too.
///
/// Foundation's `Process` is not used: its `run()` reads past its list of descriptors when others open some meanwhile.
public final class ChildProgram: Sendable {
  private struct State {
    var output: [UInt8] = []
    var isOutputComplete = false
    var waitStatus: Int32?
  }

  /// The process.
  public let identifier: Int32
  private let state = LockIsolated(State())

  /// Everything it has written so far, to both outputs.
  public var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  /// Whether it has neither ended nor closed its outputs.
  public var isRunning: Bool { state.withLock { $0.waitStatus == nil || !$0.isOutputComplete } }

  /// Starts the product of that name, which lies beside the tests, or the program at that absolute path.
  public init(_ name: String, _ arguments: [String]) throws {
    let program = name.hasPrefix("/") ? name : Bundle.main.bundleURL.appending(path: name).path
    var ends: [Int32] = [-1, -1]
    guard swiftwater_pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    defer { close(ends[1]) }
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let error = swiftwater_spawn(&process, &words, environ, null, ends[1], ends[1], 0)
    guard error == 0 else {
      close(ends[0])
      throw POSIXError(POSIXErrorCode(rawValue: error) ?? .ENOENT)
    }
    identifier = process
    let (reading, child, state) = (ends[0], process, state)
    // Both threads end with the program.
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(reading, &buffer, buffer.count)
        if count <= 0 { break }
        state.withLock { $0.output += buffer[..<count] }
      }
      close(reading)
      state.withLock { $0.isOutputComplete = true }
    }
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(child, &status, 0) == -1, errno == EINTR {}
      state.withLock { $0.waitStatus = status }
    }
  }

  /// Sends a signal.
  public func send(_ signal: Int32) { kill(identifier, signal) }

  /// Waits until the output contains the text; false when it ends without, or does not write it before the deadline.
  public func writes(_ expected: String) async -> Bool {
    await eventually(within: .seconds(120)) { self.output.contains(expected) || !self.isRunning }
      && output.contains(expected)
  }

  /// Waits for the end and returns the exit status; nil when a signal ended it or it does not end.
  public func status() async -> Int32? {
    guard await eventually(within: .seconds(120), { !self.isRunning }) else { return nil }
    return state.withLock { state in
      guard let status = state.waitStatus, status & 0x7F == 0 else { return nil }
      return status >> 8 & 0xFF
    }
  }
}
