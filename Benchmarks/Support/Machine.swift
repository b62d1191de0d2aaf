#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Readings of the system, this process or another one, and its terminal.
package enum Machine {
  /// Nanoseconds since some moment.
  package static func now() -> Double { read(CLOCK_MONOTONIC) }

  /// Processor nanoseconds of this thread so far.
  package static func threadTime() -> Double { read(CLOCK_THREAD_CPUTIME_ID) }

  /// Processor nanoseconds of all threads so far, the kernel's on their behalf included.
  package static func processorTime() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

  /// The same of another process, to the system's clock tick; NaN where the system does not tell.
  package static func processorTime(of process: Int32) -> Double {
    guard let stat = lines(of: "/proc/\(process)/stat").first else { return .nan }
    // The name may hold anything, also spaces; it ends with the last parenthesis.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return .nan }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))) * 1e9
  }

  /// Resident bytes of a process, this one by default, now or at their peak; NaN where the system does not tell.
  package static func residentBytes(of process: Int32? = nil, peak: Bool = false) -> Double {
    let key = peak ? "VmHWM:" : "VmRSS:"
    let line = lines(of: "/proc/\(process.map(String.init) ?? "self")/status").first { $0.hasPrefix(key) }
    let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
    return kibibytes.map { $0 * 1024 } ?? .nan
  }

  /// Shows what is going on, if somebody is watching.
  package static func progress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let line = "\r\u{1B}[K\(text)"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// Hands a line to the program that has started this one.
  package static func tell(_ name: String, _ value: some CustomStringConvertible) {
    print(name, value)
    fflush(nil)
  }

  /// Waits until the program that has started this one lets go of it.
  @concurrent
  package static func waitForEndOfInput() async {
    var byte: UInt8 = 0
    while Self.read(&byte) > 0 {}
  }

  private static func read(_ byte: inout UInt8) -> Int {
    #if canImport(Darwin)
      Darwin.read(STDIN_FILENO, &byte, 1)
    #elseif canImport(Musl)
      Musl.read(STDIN_FILENO, &byte, 1)
    #else
      Glibc.read(STDIN_FILENO, &byte, 1)
    #endif
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  private static func lines(of path: String) -> [String] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var lines: [String] = []
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, Int32(line.count), file) != nil {
      lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return lines
  }
}
