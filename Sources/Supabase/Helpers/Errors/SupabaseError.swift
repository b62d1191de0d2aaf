public import FoundationEssentials

/// What every error of the Supabase modules tells.
public protocol SupabaseError: LocalizedError, Sendable {
  /// What happened, in the server's own words where it gave any.
  var message: String { get }
  /// The response that said so; nil when none arrived.
  var response: HTTPErrorResponse? { get }
  /// The error that caused this one.
  var underlyingError: (any Error)? { get }
}

extension SupabaseError {
  /// The message, for `localizedDescription`.
  public var errorDescription: String? { message }
}
