import FoundationEssentials

/// Programs by others that tests hold ours against, in the Python environment that `./dev test` sets up.
public enum Witness {
  /// The environment's interpreter, nil where there is none: tests that need it say so in a visible skip.
  public static let python: String? = {
    if let named = ProcessInfo.processInfo.environment["SWIFTWATER_PYTHON"] { return named }
    let usual = URL(filePath: #filePath).appending(path: "../../../.build/python/bin/python3").standardizedFileURL.path
    return FileManager.default.isExecutableFile(atPath: usual) ? usual : nil
  }()

  /// What a skipped test says.
  public static let missing = "the Python programs of Tests/Witnesses are not installed; ./dev test does it"
}
