internal import SwiftwaterEventLoop

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension TLSConfiguration.PEM {
  /// For messages: where it stands, nothing for bytes.
  var place: String { if case .file(let path) = self { " in \(path)" } else { "" } }

  /// The text.
  func read(as name: String) throws(HTTPServerError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .file(let path):
      guard let bytes = Self.contents(path) else {
        let cause = SystemError(operation: "read the \(name) \(path)")
        throw HTTPServerError(code: .invalidTLS, message: "\(cause)")
      }
      return bytes
    }
  }

  /// Nil with `errno` when the file cannot be read.
  private static func contents(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = systemRead(descriptor, &buffer, buffer.count)
      bytes.append(contentsOf: buffer.prefix(max(0, count)))
      guard count > 0 else {
        let error = errno
        Socket.close(descriptor)
        errno = error
        return count == 0 ? bytes : nil
      }
    }
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}
