extension PostgrestError {
  /// The server's error code: PostgreSQL's SQLSTATE (`23505`) or PostgREST's own (`PGRST116`); open to codes that are not
  /// listed here.
  public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The code as the server sent it.
    public let rawValue: String

    /// Takes any code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Takes any code.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// A unique constraint is violated.
    public static let uniqueViolation = Code(rawValue: "23505")
    /// A row that is referred to is missing or in use.
    public static let foreignKeyViolation = Code(rawValue: "23503")
    /// A column that must not be NULL would be.
    public static let notNullViolation = Code(rawValue: "23502")
    /// A check constraint is violated.
    public static let checkViolation = Code(rawValue: "23514")
    /// The role lacks a privilege, or a policy forbids the row.
    public static let insufficientPrivilege = Code(rawValue: "42501")
    /// A function raised an exception.
    public static let raisedException = Code(rawValue: "P0001")
    /// A column that a filter or `select` names is not known.
    public static let undefinedColumn = Code(rawValue: "42703")
    /// The offset lies behind the last row.
    public static let rangeNotSatisfiable = Code(rawValue: "PGRST103")
    /// One row was asked for, and there is none or more than one.
    public static let notOneRow = Code(rawValue: "PGRST116")
    /// A wish cannot be granted, and the request is strict about it.
    public static let invalidPreferences = Code(rawValue: "PGRST122")
    /// More rows would change than `maxAffected(_:)` allows.
    public static let maxAffectedExceeded = Code(rawValue: "PGRST124")
    /// The tables are not related.
    public static let relationshipNotFound = Code(rawValue: "PGRST200")
    /// The tables are related in several ways; name one, as the hint shows.
    public static let ambiguousRelationship = Code(rawValue: "PGRST201")
    /// The function is not known, or not with these arguments.
    public static let functionNotFound = Code(rawValue: "PGRST202")
    /// A column that an insertion or a change names is not known.
    public static let columnNotFound = Code(rawValue: "PGRST204")
    /// The table is not known.
    public static let tableNotFound = Code(rawValue: "PGRST205")
    /// The token is missing, invalid or expired.
    public static let invalidToken = Code(rawValue: "PGRST301")
  }
}
