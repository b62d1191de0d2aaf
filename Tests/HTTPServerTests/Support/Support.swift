import Dispatch
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterStreams
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Runs a server for the time of `body`.
func withServer(
  _ configure: (inout HTTPServer.Configuration) -> Void = { _ in },
  handler: @escaping HTTPServer.Handler,
  _ body: (HTTPServer) async throws -> Void
) async throws {
  var configuration = HTTPServer.Configuration()
  configuration.stopGrace = .milliseconds(50)
  configure(&configuration)
  let server = HTTPServer(configuration: configuration, handler: handler)
  try await server.start()
  do {
    try await body(server)
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// Waits until the condition holds, and records an issue if it does not within half a minute.
func eventually(
  _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
  guard try await TestSupport.eventually(within: .seconds(30), condition) else {
    Issue.record(what, sourceLocation: sourceLocation)
    return
  }
}

/// Something that happens once and can be waited for.
final class Signal: Sendable {
  private let hasFired = StateSource<Bool, Never>(false)

  var isFired: Bool { hasFired.latest == true }

  func fire() { hasFired.send(true) }

  /// Waits for it; throws when the task is cancelled first.
  func wait() async throws {
    for await hasFired in hasFired.values where hasFired { return }
    throw CancellationError()
  }
}

/// Counts.
final class Counter: Sendable {
  private let number = LockIsolated(0)

  var value: Int { number.value }

  @discardableResult
  func add(_ count: Int = 1) -> Int {
    number.withLock {
      $0 += count
      return $0
    }
  }
}

func text(_ text: String, status: HTTPResponse.Status = .ok) -> ServerResponse {
  ServerResponse(status: status, headerFields: [.contentType: "text/plain"], body: HTTPBody(text))
}

/// Answers with method, target and body.
let echo: HTTPServer.Handler = { request in
  let body = try await request.body.collect(upTo: 1 << 20)
  return text("\(request.head.method) \(request.head.path) \(String(decoding: body, as: UTF8.self))")
}

/// Runs a command line away from the pool: its output and its exit code.
func shell(_ command: String) async -> (output: String, code: Int32) {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async {
      guard let pipe = popen(command, "r") else { return continuation.resume(returning: ("", -1)) }
      var output: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = fread(&buffer, 1, buffer.count, pipe)
        if count == 0 { break }
        output += buffer[..<count]
      }
      let status = pclose(pipe)
      continuation.resume(returning: (String(decoding: output, as: UTF8.self), status >> 8 & 0xFF))
    }
  }
}
