import Foundation
import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

#if canImport(Glibc)
  let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
  let streamSocket = SOCK_STREAM
#endif

private func systemListen(_ descriptor: Int32) -> Bool { listen(descriptor, 512) == 0 }

/// A TCP server on a port of its own that runs one script per connection, on a thread per connection.
final class ScriptedServer: Sendable {
  private struct State {
    var descriptors: Set<Int32> = []
    var accepted = 0
    var isStopped = false
    var sent = 0
    var heads: [String] = []
  }

  struct Failure: Error {
    var operation: String
    var number: Int32
  }

  let port: UInt16
  private let listener: Int32
  private let state = LockIsolated(State())

  /// - Parameters:
  ///   - path: where to listen instead of a port.
  ///   - script: gets each connection, which is closed when the script returns or throws.
  init(at path: String? = nil, _ script: @escaping @Sendable (ScriptedConnection) throws -> Void) throws {
    if let path {
      port = 0
      listener = try Self.listen(at: path)
      Thread.detachNewThread { [self] in acceptConnections(script) }
      return
    }
    listener = socket(AF_INET, streamSocket, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = self.listener
    let result = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
      return bind(listener, pointer, size) == 0 && systemListen(listener)
        && getsockname(listener, pointer, &size) == 0
    }
    guard result else { throw Failure(operation: "listen", number: errno) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in acceptConnections(script) }
  }

  private static func listen(at path: String) throws -> Int32 {
    let listener = socket(AF_UNIX, streamSocket, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafeBytes(of: &address) { bytes in
      bind(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, size) == 0 && systemListen(listener)
    }
    guard result else { throw Failure(operation: "listen", number: errno) }
    return listener
  }

  var authority: String { "127.0.0.1:\(port)" }
  /// How many connections there have been.
  var accepted: Int { state.withLock { $0.accepted } }
  /// How many bytes have gone out.
  var sent: Int { state.withLock { $0.sent } }
  /// The request heads, in order of arrival.
  var heads: [String] { state.withLock { $0.heads } }
  /// How many connections the server still has.
  var open: Int { state.withLock { $0.descriptors.count } }

  /// Closes the listener and wakes every script that waits for its connection.
  func stop() {
    let descriptors = state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped ? [] : state.descriptors + [listener]
    }
    for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  func note(head: String) { state.withLock { $0.heads.append(head) } }
  func note(sent count: Int) { state.withLock { $0.sent += count } }

  private func acceptConnections(_ script: @escaping @Sendable (ScriptedConnection) throws -> Void) {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      let number: Int? = state.withLock { state in
        if state.isStopped { return nil }
        state.descriptors.insert(descriptor)
        state.accepted += 1
        return state.accepted
      }
      guard let number else {
        close(descriptor)
        break
      }
      Thread.detachNewThread { [self] in
        try? script(ScriptedConnection(server: self, descriptor: descriptor, number: number))
        _ = state.withLock { $0.descriptors.remove(descriptor) }
        close(descriptor)
      }
    }
    close(listener)
  }
}

/// Runs `body` with a server of its own, which is stopped afterwards.
func withServer<Result>(
  _ script: @escaping @Sendable (ScriptedConnection) throws -> Void,
  _ body: (ScriptedServer) async throws -> Result
) async throws -> Result {
  let server = try ScriptedServer(script)
  defer { server.stop() }
  return try await body(server)
}
