/// Takes a client's records to where they are kept: the seam to the program's own logging.
///
/// - Threading: called on whatever task or thread tells something, by several at once; it should not wait.
public protocol ClientLogHandler: Sendable {
  /// Takes a record, which has been redacted.
  func log(_ record: LogRecord)
}
