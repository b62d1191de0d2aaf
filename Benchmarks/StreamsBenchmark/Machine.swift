#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Readings of this process and its terminal.
enum Machine {
  /// Nanoseconds since some moment.
  static func now() -> Double { read(CLOCK_MONOTONIC) }

  /// Processor nanoseconds of this thread so far.
  static func threadTime() -> Double { read(CLOCK_THREAD_CPUTIME_ID) }

  /// Processor nanoseconds of all threads so far.
  static func processorTime() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

  /// Bytes of resident memory; nil where the system does not tell.
  static func residentBytes() -> Double? {
    guard let file = fopen("/proc/self/statm", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let fields = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { return nil }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// Shows what is going on, if somebody is watching.
  static func progress(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let line = "\r\u{1B}[K\(text)"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
