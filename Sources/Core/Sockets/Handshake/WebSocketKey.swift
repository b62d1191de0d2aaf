internal import CCrypto
internal import FoundationEssentials

/// The key of an opening handshake, with which a server proves that it speaks WebSocket (RFC 6455 §4.1, §4.2.2).
struct WebSocketKey: Sendable, Hashable {
  /// As in `Sec-WebSocket-Key`: 16 bytes in Base64.
  let text: String

  /// A random key.
  init() {
    var system = SystemRandomNumberGenerator()
    text = Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &system) }).base64EncodedString()
  }

  /// A client's key; nil when it is not 16 bytes in Base64.
  init?(_ text: String) {
    guard text.utf8.count == 24, let bytes = Data(base64Encoded: text), bytes.count == 16 else { return nil }
    self.text = text
  }

  /// The server's answer in `Sec-WebSocket-Accept`; nil when libcrypto offers no SHA-1.
  var accept: String? {
    let input = Array((text + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    guard EVP_Digest(input, input.count, &digest, nil, EVP_sha1(), nil) == 1 else { return nil }
    return Data(digest).base64EncodedString()
  }
}
