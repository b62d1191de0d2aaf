internal import CCurl
internal import CSystem
internal import SwiftwaterStreams

/// A thread that alone uses one of libcurl's multi handles, and the queue of commands in front of it.
final class CurlThread<Command: Sendable>: Sendable {
  // unsafe: libcurl allows `curl_multi_wakeup` from any thread; every other call is the thread's.
  private struct Waker: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer

    func wake() { curl_multi_wakeup(multi) }
  }

  private struct State {
    var commands: [Command] = []
    /// Present while commands are taken.
    var waker: Waker?
  }

  private let state = LockIsolated(State())

  /// Starts the thread, which ends when `body` returns. If the system refuses, no command will be taken.
  ///
  /// - Parameter body: gets the multi handle; calls `takeCommands()` as long as it goes on, and `close()` then.
  func start(_ name: String, _ body: @escaping @Sendable (_ multi: UnsafeMutableRawPointer) -> Void) {
    guard isLibraryPrepared, let multi = curl_multi_init() else { return }
    // Where descriptors are short libcurl does without the one that wakes it, and would sleep through every command.
    guard curl_multi_wakeup(multi) == CURLM_OK else {
      curl_multi_cleanup(multi)
      return
    }
    let waker = Waker(multi: multi)
    state.withLock { $0.waker = waker }
    let context = Unmanaged.passRetained(
      ThreadBody {
        body(waker.multi)
        curl_multi_cleanup(waker.multi)
      }
    ).toOpaque()
    let error = swiftwater_start_thread(name, ThreadBody.runRetained, context)
    guard error != 0 else { return }
    Unmanaged<ThreadBody>.fromOpaque(context).release()
    state.withLock { $0.waker = nil }
    curl_multi_cleanup(multi)
  }

  /// Hands a command to the thread. Returns whether it will be taken.
  @discardableResult
  func submit(_ command: Command) -> Bool {
    state.withLock { state in
      guard let waker = state.waker else { return false }
      state.commands.append(command)
      // Inside the lock, because the thread frees the handle as soon as it has taken the waker away.
      if state.commands.count == 1 { waker.wake() }
      return true
    }
  }

  /// Makes the thread look at the time.
  func wake() { state.withLock { $0.waker?.wake() } }

  /// The commands since the last time. The thread's own.
  func takeCommands() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// From now on no command is taken. Returns those that are left. The thread's own.
  func close() -> [Command] {
    state.withLock { state in
      defer { state = State() }
      return state.commands
    }
  }
}

/// What a thread runs, in the form in which C passes it on.
private final class ThreadBody: Sendable {
  private let run: @Sendable () -> Void

  init(run: @escaping @Sendable () -> Void) { self.run = run }

  static let runRetained: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
  }
}

private let isLibraryPrepared = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
