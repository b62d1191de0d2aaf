extension WebSocketConfiguration {
  /// Compression of messages by permessage-deflate (RFC 7692).
  ///
  /// Do not mix secrets with text that others choose in one compressed message: its length tells about the secret.
  public struct Compression: Sendable, Hashable {
    /// Whether a message may refer to earlier ones, in both directions. Compresses small, similar messages far better
    /// and keeps some memory for each connection; true by default.
    public var allowsContextTakeover: Bool
    /// The size of the window as a power of two, in both directions: brought between 9 and 15, which is the default.
    public var windowBits: Int {
      didSet { windowBits = Self.limited(windowBits) }
    }
    /// Messages of fewer bytes are sent as they are. 256 by default.
    public var threshold: Int

    /// Compression with these settings.
    public init(allowsContextTakeover: Bool = true, windowBits: Int = 15, threshold: Int = 256) {
      self.allowsContextTakeover = allowsContextTakeover
      self.windowBits = Self.limited(windowBits)
      self.threshold = threshold
    }

    private static func limited(_ windowBits: Int) -> Int { min(max(windowBits, 9), 15) }
  }
}
