internal import CCurl

/// The sockets of the HTTP/1 connections that libcurl keeps, so that they can be looked at before they are used again.
///
/// Whatever a server says on an idle connection is no answer to what is sent afterwards, but in HTTP/1 nothing else
/// tells them apart. libcurl notices an end by itself, not bytes (before 8.0). A connection that says anything is not
/// used again; over TLS that can have been harmless, and then costs one handshake.
struct KeptConnections {
  /// What names a connection as long as it exists.
  struct Endpoints: Hashable {
    let localPort: Int32
    let remoteAddress: String
    let remotePort: Int32
  }

  private var sockets: [Endpoints: curl_socket_t] = [:]
  /// The way back, by which a connection is forgotten when the system gives its number to a later one.
  private var endpoints: [curl_socket_t: Endpoints] = [:]

  func knows(_ connection: Endpoints) -> Bool { sockets[connection] != nil }

  /// - Parameter socket: nil if the connection is not kept.
  mutating func note(_ connection: Endpoints, _ socket: curl_socket_t?) {
    guard let socket else { return }
    if let former = endpoints.updateValue(connection, forKey: socket) { sockets[former] = nil }
    sockets[connection] = socket
  }

  /// Whether there is something to read on the connection, if only its end.
  func hasUnread(_ connection: Endpoints) -> Bool {
    sockets[connection].map { swiftwater_has_unread($0, connection.localPort) } ?? false
  }
}
