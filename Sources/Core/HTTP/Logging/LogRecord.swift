/// One thing that a client tells, with its secrets removed.
public struct LogRecord: Sendable, Hashable {
  /// How important it is.
  public let level: ClientLogger.Level
  /// Where it comes from.
  public let label: String
  /// The fixed message.
  public let message: String
  /// What differs each time.
  public let metadata: [String: String]

  /// Describes what is told; for tests of handlers. `ClientLogger` makes records without their secrets.
  public init(level: ClientLogger.Level, label: String, message: String, metadata: [String: String] = [:]) {
    self.level = level
    self.label = label
    self.message = message
    self.metadata = metadata
  }
}
