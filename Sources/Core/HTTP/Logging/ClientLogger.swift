/// What a client tells about its work: fixed messages with facts beside them.
///
/// Every record passes the redactor on its way to the handler, so no token, key, cookie or query string leaves through a
/// log, whatever handler is used. Below `level` a record costs a comparison.
///
/// The default handler writes to standard error what the environment variable `SWIFTWATER_LOG` asks for, and nothing
/// where it is not set: `SWIFTWATER_LOG=debug`, or `SWIFTWATER_LOG=warning,io.supabase.postgrest=trace` to say it for
/// labels that begin so.
public struct ClientLogger: Sendable {
  /// How important a record is.
  public enum Level: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Traffic, message by message.
    case trace
    /// What helps to find a fault.
    case debug
    /// What happened in the usual course.
    case info
    /// What is usual but worth a look.
    case notice
    /// What may become a fault.
    case warning
    /// What has failed.
    case error
    /// What stops the program from going on.
    case critical

    /// Whether the left level is the less important one.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// Where records come from, such as `io.supabase.postgrest`.
  public let label: String
  /// The least level that reaches the handler; nil for none.
  public var level: Level?
  /// Facts that stand beside every record; a record's own win.
  public var metadata: [String: String]
  private let handler: any ClientLogHandler

  /// A logger in front of a handler.
  ///
  /// - Parameter level: the least level that reaches the handler, `.info` unless given.
  public init(
    label: String, level: Level? = .info, metadata: [String: String] = [:], handler: any ClientLogHandler
  ) {
    self.label = label
    self.level = level
    self.metadata = metadata
    self.handler = handler
  }

  /// A logger that writes to standard error what the environment asks for.
  public init(label: String, metadata: [String: String] = [:]) {
    self.init(
      label: label, level: LogFilter.environment.level(for: label), metadata: metadata,
      handler: StandardErrorLogHandler.shared)
  }

  /// A logger that tells nothing.
  public static let disabled = ClientLogger(label: "", level: nil, handler: StandardErrorLogHandler.shared)

  /// Whether records of that level reach the handler.
  public func isEnabled(_ level: Level) -> Bool {
    guard let least = self.level else { return false }
    return level >= least
  }

  /// Tells something.
  ///
  /// - Parameters:
  ///   - message: the same text each time, so that records can be counted and searched; it cannot carry a secret.
  ///   - metadata: what differs each time, only asked for when the level is enabled.
  public func log(
    _ level: Level, _ message: StaticString, metadata: @autoclosure () -> [String: String] = [:]
  ) {
    guard isEnabled(level) else { return }
    let facts = self.metadata.merging(metadata()) { _, own in own }
    handler.log(
      LogRecord(level: level, label: label, message: "\(message)", metadata: Redactor.redact(facts)))
  }
}
