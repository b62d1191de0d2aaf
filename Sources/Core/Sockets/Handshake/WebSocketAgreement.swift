/// What the opening handshake has settled.
package struct WebSocketAgreement: Sendable, Hashable {
  /// The subprotocol, nil when there is none.
  package var subprotocol: String?
  /// How messages are compressed, nil when they are not.
  package var compression: DeflateParameters?

  /// An agreement; by default about nothing.
  package init(subprotocol: String? = nil, compression: DeflateParameters? = nil) {
    self.subprotocol = subprotocol
    self.compression = compression
  }
}
