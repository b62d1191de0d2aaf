extension PostgresError {
  /// A kind of failure. Open: later versions may add kinds, so a `switch` needs a default.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The kind's name.
    public let rawValue: String

    /// Wraps a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// PostgreSQL refused a statement; the whole batch was rolled back and the connection lives on.
    public static let statementFailed = Code(rawValue: "statementFailed")
    /// The statement cannot be sent as it is: a zero byte, too many parameters, `COPY`, an open transaction.
    public static let invalidStatement = Code(rawValue: "invalidStatement")
    /// The connection broke while the batch was under way: it may have been committed or not.
    public static let connectionFailed = Code(rawValue: "connectionFailed")
    /// No connection could be made: nothing was sent. Try again later.
    public static let unavailable = Code(rawValue: "unavailable")
    /// All connections were busy with others for too long. Nothing was done; try again later.
    public static let exhausted = Code(rawValue: "exhausted")
    /// The pool has been closed.
    public static let closed = Code(rawValue: "closed")
    /// The connection string or a setting is unusable.
    public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
    /// No usable PostgreSQL is installed.
    public static let notInstalled = Code(rawValue: "notInstalled")
    /// Another backend runs on the same folder.
    public static let alreadyInUse = Code(rawValue: "alreadyInUse")
    /// The server's user may not enter a folder that it needs.
    public static let folderNotAccessible = Code(rawValue: "folderNotAccessible")
    /// The cluster could not be created or started.
    public static let startFailed = Code(rawValue: "startFailed")
  }
}
