#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What the system has answered to a call on a file.
struct FileFailure: Error, CustomStringConvertible {
  let number: Int32
  private let call: String
  private let path: String
  private let words: String

  /// Takes the number of the call that has just failed, unless another one is given, and the system's words for it.
  init(_ call: String, _ path: String, number: Int32 = errno, words: String? = nil) {
    self.number = number
    self.call = call
    self.path = path
    self.words = words ?? String(cString: strerror(number))
  }

  /// Whether nobody with these rights can write there as things are.
  var meansUnwritable: Bool { [EROFS, EACCES, EPERM, ENOSPC, EDQUOT, ENOTDIR, ENOENT].contains(number) }

  var description: String { "cannot \(call) \(path): \(words)" }
}
