/// What both sides agreed on about compression (RFC 7692 §7.1).
package struct DeflateParameters: Sendable, Hashable {
  /// Whether the server's messages may refer to earlier ones.
  var serverTakesContextOver = true
  /// Whether the client's messages may refer to earlier ones.
  var clientTakesContextOver = true
  /// The server's window as a power of two, 8 to 15.
  var serverWindowBits = 15
  /// The client's window as a power of two, 8 to 15.
  var clientWindowBits = 15

  /// The window of what `role` sends.
  func windowBits(of role: WebSocketRole) -> Int { role == .server ? serverWindowBits : clientWindowBits }

  /// Whether what `role` sends may refer to earlier messages.
  func takesContextOver(_ role: WebSocketRole) -> Bool {
    role == .server ? serverTakesContextOver : clientTakesContextOver
  }
}
