#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that a command writes for its user.
struct OutputFile {
  let path: String

  /// - Throws: where it could not be written, before there is anything to write.
  init(_ path: String) throws(OutputError) {
    self.path = path
    guard access(path + "/.", F_OK) != 0 else { throw OutputError(path, EISDIR) }
    var isPossible = access(path, W_OK) == 0
    if !isPossible, errno == ENOENT {
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
      isPossible = access(folder + ".", W_OK | X_OK) == 0
    }
    guard isPossible else { throw OutputError(path, errno) }
  }

  /// Puts the text in the place of what the file held.
  func write(_ text: String) throws(OutputError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw OutputError(path, errno) }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw OutputError(path, errno) }
      rest = rest.dropFirst(count)
    }
  }
}

// The method of the same name hides it.
private let systemWrite = write

/// A file that cannot be written.
struct OutputError: Error {
  var message: String

  init(_ path: String, _ number: Int32) { message = "cannot write \(path): \(String(cString: strerror(number)))" }
}
