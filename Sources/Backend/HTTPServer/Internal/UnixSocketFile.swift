internal import SwiftwaterEventLoop

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The file under which a local socket is found: made by binding, removed by whoever has made it.
struct UnixSocketFile: Sendable {
  let path: String
  private let identity: Identity

  private struct Identity: Sendable, Equatable {
    let device: UInt64
    let number: UInt64

    init?(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  /// Binds a socket, on which nobody can connect before it listens, to a new file with that mode.
  init(binding descriptor: Int32, to path: String, mode: UInt16) throws(HTTPServerError) {
    self.path = path
    let address = try SocketAddress(unixPath: path)
    try Self.removeStale(path, address)
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw Self.failure("listen on \(path)") }
    guard chmod(path, mode_t(mode)) == 0, let identity = Identity(path) else {
      let failure = Self.failure("set the mode of \(path)")
      unlink(path)
      throw failure
    }
    self.identity = identity
  }

  /// Removes the file, unless another one has taken its place.
  func remove() {
    if Identity(path) == identity { unlink(path) }
  }

  /// Removes a socket that a program has left behind. Whatever else stands there is not ours to remove.
  private static func removeStale(_ path: String, _ address: SocketAddress) throws(HTTPServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw HTTPServerError(
        code: .cannotListen, message: "cannot listen on \(path): what stands there is no socket; choose another path")
    }
    let probe = Socket.make(family: AF_UNIX)
    guard probe >= 0 else { throw failure("listen on \(path)") }
    defer { Socket.close(probe) }
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    guard address.withPointer({ connect(probe, $0, $1) }) == -1, errno == ECONNREFUSED else {
      throw HTTPServerError(
        code: .addressInUse,
        message: "cannot listen on \(path): another program listens there; choose another path, or stop that program")
    }
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("replace \(path)") }
  }

  private static func failure(_ operation: String) -> HTTPServerError {
    HTTPServerError(code: .cannotListen, message: "\(SystemError(operation: operation))")
  }
}
