/// What `NOTIFY` told.
public enum PostgresNotification: Sendable, Hashable {
  /// The channels are heard from now on; what was told before is lost.
  case listening
  /// Somebody has told something.
  case message(channel: String, payload: String)
}
