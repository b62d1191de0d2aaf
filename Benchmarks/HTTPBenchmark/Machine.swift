import CSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Readings of this process, and its children.
enum Machine {
  /// Processor microseconds of all threads so far, the kernel's on their behalf included.
  static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  /// Resident bytes now, or at their peak; 0 where the system does not tell.
  static func residentBytes(peak: Bool = false) -> Double {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(peak ? "VmHWM:" : "VmRSS:") else { continue }
      return (text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0) * 1024
    }
    return 0
  }

  static func flush() { fflush(nil) }

  static func progress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let line = "\r\u{1B}[K\(text)"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  @concurrent
  static func waitForEndOfInput() async {
    var byte: UInt8 = 0
    while read(STDIN_FILENO, &byte, 1) > 0 {}
  }
}

/// This program once more, with its output; it ends when this one lets go of it.
final class Child {
  private let input: Int32
  private let output: UnsafeMutablePointer<FILE>?

  init(_ arguments: [String]) {
    var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    swiftwater_pipe(&toChild)
    swiftwater_pipe(&fromChild)
    var words: [UnsafeMutablePointer<CChar>?] = ([Self.program] + arguments).map { strdup($0) } + [nil]
    var process: pid_t = 0
    swiftwater_spawn(&process, &words, environ, toChild[0], fromChild[1], STDERR_FILENO, 0)
    for word in words { free(word) }
    close(toChild[0])
    close(fromChild[1])
    input = toChild[1]
    output = fdopen(fromChild[0], "r")
  }

  deinit {
    close(input)
    if let output { fclose(output) }
  }

  /// The next line as a name and a number.
  func next() -> (name: String, value: Double)? {
    var line = [CChar](repeating: 0, count: 256)
    guard let output, fgets(&line, Int32(line.count), output) != nil else { return nil }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      whereSeparator: \.isWhitespace)
    guard words.count == 2, let value = Double(words[1]) else { return nil }
    return (String(words[0]), value)
  }

  private static var program: String {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
