internal import CCrypto
internal import FoundationEssentials
internal import SwiftwaterTokens

/// The proof that the one who comes back from a browser or a mail is the one who has begun (RFC 7636).
enum PKCE {
  static let method = "s256"

  /// 256 bits by chance (§4.1).
  static func verifier() -> String {
    var system = SystemRandomNumberGenerator()
    return Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &system) })
  }

  /// What the server is told when the flow begins (§4.2).
  static func challenge(of verifier: String) -> String {
    let bytes = Array(verifier.utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &digest)
    return Base64URL.encode(digest)
  }
}
