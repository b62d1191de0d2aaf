internal import SwiftwaterHTTP

/// A session as access tokens tell of it.
struct SessionState: Decodable, Sendable {
  var id: String
  /// Seconds since it began.
  var age: Double
  /// The assurance level: `aal1` or `aal2`.
  var level: String
  /// How the user has signed in (RFC 8176), the newest first: `{"method", "timestamp"}`.
  var methods: JSONValue
}
