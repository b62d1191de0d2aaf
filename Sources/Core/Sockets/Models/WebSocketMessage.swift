/// One message, whole: what a sender has put into one `send` (RFC 6455 §5.6).
public enum WebSocketMessage: Sendable, Hashable {
  /// Text, which travels as UTF-8.
  case text(String)
  /// Bytes of any meaning.
  case binary([UInt8])
}
