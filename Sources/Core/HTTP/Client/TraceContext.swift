/// Where work stands in a distributed trace (W3C Trace Context, level 1).
///
/// Set `current` around the calls that belong to a trace; a client with a `TraceContextMiddleware` then sends it along.
public struct TraceContext: Sendable, Hashable {
  /// The trace: 32 hexadecimal digits in lower case, not all zero.
  public let traceID: String
  /// The caller's span: 16 hexadecimal digits in lower case, not all zero.
  public let parentID: String
  /// Whether the caller records this trace.
  public let isSampled: Bool
  /// The value of `tracestate`, which tracing systems define.
  public var state: String?

  /// The context that requests of this task are sent in.
  @TaskLocal public static var current: TraceContext?

  /// Reads the value of a `traceparent` field; nil when it is none.
  public init?(traceparent: String, state: String? = nil) {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff", parts[0] != "00" || parts.count == 4,
      Self.isHexadecimal(parts[0]), Self.isIdentifier(parts[1], digits: 32), Self.isIdentifier(parts[2], digits: 16),
      parts[3].utf8.count == 2, Self.isHexadecimal(parts[3]), let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    traceID = String(parts[1])
    parentID = String(parts[2])
    isSampled = flags & 1 == 1
    self.state = state
  }

  /// The value of the `traceparent` field.
  public var traceparent: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

  private static func isIdentifier(_ text: Substring, digits: Int) -> Bool {
    text.utf8.count == digits && isHexadecimal(text) && text.utf8.contains { $0 != UInt8(ascii: "0") }
  }

  private static func isHexadecimal(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (97...102).contains($0) }
  }
}
