/// The words behind a command: options with a value (`--port 80`, `--port=80`), flags, and the rest.
struct Options {
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads all words.
  ///
  /// - Parameters:
  ///   - valued: the options that have a value.
  ///   - flags: those that have none.
  init(_ words: ArraySlice<String>, valued: Set<String>, flags: Set<String> = []) throws(UsageError) {
    var words = words
    while let word = words.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      if flags.contains(name), parts.count == 1 {
        self.flags.insert(name)
        continue
      }
      guard valued.contains(name) else {
        throw UsageError(message: flags.contains(name) ? "\(name) takes no value." : "unknown option \(name).")
      }
      guard let value = parts.count > 1 ? parts[1] : words.popFirst(), !value.isEmpty else {
        throw UsageError(message: "\(name) needs a value.")
      }
      values[name] = value
    }
  }

  /// The value of an option, which may have several names.
  subscript(names: String...) -> String? { names.compactMap { values[$0] }.first }

  /// Whether the flag was given.
  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// Where the rows lie: the one of two options that exclude each other.
  func storage() throws(UsageError) -> (url: String?, folder: String) {
    let (url, folder) = (self["--database-url"], self["--folder", "--data"])
    if url != nil, folder != nil {
      throw UsageError(message: "a folder and --database-url exclude each other: the rows lie in one place.")
    }
    return (url, folder ?? Project.dataFolder)
  }
}

/// A command line that cannot be understood.
struct UsageError: Error {
  var message: String
}
