internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Reads a file from its beginning, chunk by chunk; closes it when it is released.
final class FileReader: Sendable {
  private static let chunkSize = 128 << 10

  private let path: String
  private let descriptor: Int32
  private let position = LockIsolated<Int64>(0)

  init(path: String) throws(HTTPError) {
    self.path = path
    // A pipe would keep the thread until somebody writes into it.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit { close(descriptor) }

  /// The size of the file, which must be a regular one: pipes and devices have none.
  var length: Int64 {
    get throws(HTTPError) {
      var information = stat()
      guard fstat(descriptor, &information) == 0 else { throw Self.failure(path) }
      guard information.st_mode & S_IFMT == S_IFREG else {
        throw HTTPError(kind: .fileUnreadable, message: "\(path) is no regular file; send it as a stream.")
      }
      return Int64(information.st_size)
    }
  }

  /// The next bytes of the first `limit` of the file; nil at the end.
  @concurrent
  func next(upTo limit: Int64) async throws -> [UInt8]? {
    try Task.checkCancellation()
    let start = position.value
    let wanted = Int(min(Int64(Self.chunkSize), limit - start))
    guard wanted > 0 else { return nil }
    var failed = false
    let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
      var read = -1
      repeat {
        read = pread(descriptor, buffer.baseAddress, wanted, off_t(start))
      } while read < 0 && errno == EINTR
      failed = read < 0
      count = max(read, 0)
    }
    if failed { throw Self.failure(path) }
    position.withLock { $0 = start + Int64(chunk.count) }
    return chunk.isEmpty ? nil : chunk
  }

  private static func failure(_ path: String) -> HTTPError {
    HTTPError(kind: .fileUnreadable, message: "\(path) cannot be read: \(String(cString: strerror(errno))).")
  }
}
