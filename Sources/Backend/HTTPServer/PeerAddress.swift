/// Where a connection comes from.
public struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The numeric address, such as `127.0.0.1` or `::1`; empty for a local socket.
  public let host: String
  /// The port on the peer's side.
  public let port: Int

  /// Names an address.
  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// `127.0.0.1:50312`, `[::1]:50312`, `local`
  public var description: String {
    if host.isEmpty { return "local" }
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
