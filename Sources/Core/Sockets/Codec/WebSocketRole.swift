/// Which end of a connection this is. Clients mask what they send, servers do not (RFC 6455 §5.1).
package enum WebSocketRole: Sendable {
  case client
  case server
}
