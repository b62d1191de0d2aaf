internal import SwiftwaterTokens

/// What a client must know to redeem a code (RFC 7636).
struct PKCEChallenge: Equatable, Sendable {
  /// How the challenge is made of the verifier.
  enum Method: String, Sendable {
    case s256, plain
  }

  let text: String
  let method: Method

  /// Reads what a request names; nil where it names nothing.
  init?(challenge: String?, method: String?) throws(AuthError) {
    let (challenge, method) = (challenge ?? "", method ?? "")
    guard !challenge.isEmpty || !method.isEmpty else { return nil }
    guard !challenge.isEmpty, !method.isEmpty else {
      throw .invalid("PKCE flow requires code_challenge_method and code_challenge")
    }
    guard (43...128).contains(challenge.utf8.count) else {
      throw .invalid("code challenge has to be between 43 and 128 characters")
    }
    guard challenge.utf8.allSatisfy(Self.isUnreserved) else {
      throw .invalid(
        "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes")
    }
    guard let known = Method(rawValue: method.lowercased()) else {
      throw .invalid("unsupported code_challenge method \(method)")
    }
    (text, self.method) = (challenge, known)
  }

  /// Takes a challenge that was read before.
  init(text: String, method: Method) { (self.text, self.method) = (text, method) }

  /// Whether the verifier is the one that the challenge was made of.
  func accepts(_ verifier: String) -> Bool {
    switch method {
    case .plain: Secrets.equals(verifier, text)
    case .s256: Secrets.equals(Base64URL.encode(Secrets.sha256(Array(verifier.utf8))), text)
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
