import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension HTTPRequest {
  static func get(_ server: ScriptedServer, _ path: String = "/", timeout: Duration? = nil) -> HTTPRequest {
    to(server, .get, path, timeout: timeout)
  }

  static func to(
    _ server: ScriptedServer, _ method: Method, _ path: String = "/", fields: HTTPFields = [:],
    timeout: Duration? = nil
  ) -> HTTPRequest {
    HTTPRequest(
      method: method, scheme: "http", authority: server.authority, path: path, headerFields: fields, timeout: timeout)
  }
}

extension HTTPBody {
  /// The whole body as text.
  func text() async throws -> String { String(decoding: try await collect(upTo: 1 << 26), as: UTF8.self) }

  /// A stream of these chunks.
  static func stream(_ chunks: [[UInt8]], length: Length = .unknown) -> HTTPBody {
    let rest = LockIsolated(chunks[...])
    return HTTPBody(length: length) { rest.withLock { $0.popFirst() } }
  }
}

extension HTTPBody {
  /// A stream of these bytes, in parts, that can be read again.
  static func repeated(_ bytes: [UInt8], onReading: @escaping @Sendable () -> Void = {}) -> HTTPBody {
    .replaying {
      onReading()
      let rest = LockIsolated(bytes[...])
      return {
        let part = rest.withLock { rest in
          defer { rest = rest.dropFirst(50_000) }
          return Array(rest.prefix(50_000))
        }
        return part.isEmpty ? nil : part
      }
    }
  }
}

/// The kind of the `HTTPError` that `body` throws; nil, with an issue, when it throws nothing or something else.
func kind(
  sourceLocation: SourceLocation = #_sourceLocation, of body: () async throws -> Void
) async -> HTTPError.Kind? {
  do {
    try await body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as HTTPError {
    return error.kind
  } catch {
    Issue.record("\(error) was thrown", sourceLocation: sourceLocation)
  }
  return nil
}

/// A signal that one side gives and another waits for, across threads and tasks.
final class Signal: Sendable {
  private let given = LockIsolated(false)

  var isGiven: Bool { given.value }

  func give() { given.withLock { $0 = true } }

  /// Blocks a server's thread until the signal is given or the time is over.
  func block(for time: Duration = .seconds(60)) {
    let deadline = ContinuousClock.now + time
    while !isGiven, ContinuousClock.now < deadline { usleep(1000) }
  }
}

/// The sockets of this process that are connected to that port of the loopback address.
func socketsConnected(to port: UInt16) -> [Int32] {
  (0..<Int32(4096)).filter { descriptor in
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      getpeername(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size) == 0
    } && address.sin_family == sa_family_t(AF_INET) && address.sin_port == port.bigEndian
  }
}
