internal import CSystem

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Another program, or this one once more, with its output. Its input ends, and it gets a SIGTERM, when this is released.
package final class Child {
  /// The process.
  package let identifier: Int32
  private let input: Int32
  private let output: UnsafeMutablePointer<FILE>?

  /// Starts the program at that path, this one by default.
  package init(_ arguments: [String], program: String = Child.ownProgram) {
    var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    swiftwater_pipe(&toChild)
    swiftwater_pipe(&fromChild)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var process: pid_t = 0
    let error = swiftwater_spawn(&process, &words, environ, toChild[0], fromChild[1], STDERR_FILENO, 0)
    for word in words { free(word) }
    close(toChild[0])
    close(fromChild[1])
    precondition(error == 0, "\(program) cannot be started: \(String(cString: strerror(error)))")
    identifier = process
    input = toChild[1]
    output = fdopen(fromChild[0], "r")
  }

  deinit {
    close(input)
    kill(identifier, SIGTERM)
    while waitpid(identifier, nil, 0) == -1, errno == EINTR {}
    if let output { fclose(output) }
  }

  /// The next line as a name and a number; nil at the end, and for a line that is something else.
  package func next() -> (name: String, value: Double)? {
    guard let words = line()?.split(whereSeparator: \.isWhitespace), words.count == 2, let value = Double(words[1])
    else { return nil }
    return (String(words[0]), value)
  }

  /// Everything it writes until it ends.
  package func readAll() -> String {
    var text = ""
    while let line = line() { text += line }
    return text
  }

  private func line() -> String? {
    var line = [CChar](repeating: 0, count: 1024)
    guard let output, fgets(&line, Int32(line.count), output) != nil else { return nil }
    return String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path of this program.
  package static var ownProgram: String {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return CommandLine.arguments[0] }
    return String(decoding: path.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
