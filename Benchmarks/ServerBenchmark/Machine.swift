import Foundation

/// Reads what the system tells about a process.
struct ProcessFigures {
  /// The processor time so far, in microseconds.
  var processorTime: Double
  /// The memory that is in use, in KiB.
  var residentKiB: Double

  init(of process: Int32) throws {
    let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // The name may hold anything, also spaces; it ends with the last parenthesis.
    let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
    let ticks = (Double(fields[12]) ?? 0) + (Double(fields[13]) ?? 0)
    processorTime = ticks / Double(sysconf(Int32(_SC_CLK_TCK))) * 1e6
    let pages = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
    residentKiB = (Double(pages[1]) ?? 0) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1024
  }
}

/// A program whose output can be read and whose input ends with this.
final class Child {
  private let input = Pipe()
  private let output = Pipe()
  private let process = Process()
  var identifier: Int32 { process.processIdentifier }

  init(_ program: String, _ arguments: [String]) throws {
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// The next bytes it writes, as text.
  func read() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

  /// Everything it writes until it ends.
  func readAll() -> String {
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  /// Ends it: by the end of its input, or by a signal.
  func stop(bySignal: Bool = false) {
    if bySignal { process.terminate() }
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}
