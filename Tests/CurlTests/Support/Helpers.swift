import Foundation
import SwiftwaterCurl
import SwiftwaterHTTP
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

/// A signal that one side gives, once or several times, and another waits for, across threads and tasks.
final class Signal: Sendable {
  private let given = LockIsolated(0)
  private let condition = NSCondition()

  var count: Int { given.value }
  var isGiven: Bool { count > 0 }

  func give() {
    given.withLock { $0 += 1 }
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  /// Blocks a server's thread until the signal has been given so many times; for a minute at most.
  func block(until count: Int = 1) {
    let deadline = Date(timeIntervalSinceNow: 60)
    condition.lock()
    while self.count < count, condition.wait(until: deadline) {}
    condition.unlock()
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

/// Whether one of the sockets takes bytes.
func areWritable(_ descriptors: [Int32]) -> Bool {
  var waits = descriptors.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
  return poll(&waits, nfds_t(waits.count), 0) > 0
}
