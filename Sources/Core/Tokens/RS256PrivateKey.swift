internal import CCrypto
internal import FoundationEssentials

/// A pair of RSA keys that signs tokens (RS256, RFC 7518 §3.3), such as the one of a service account.
public struct RS256PrivateKey: Sendable {
  private let key: CryptoKey
  /// What tokens name the key by in `kid`; nil to leave that out.
  public let identifier: String?

  /// Reads a private key in PEM (PKCS #8 or PKCS #1), not encrypted.
  ///
  /// - Throws: `JWTKeyError` for anything else, and for RSA keys of fewer than 2048 bits.
  public init(pem: String, identifier: String? = nil) throws(JWTKeyError) {
    guard let key = CryptoKey(privatePEM: pem), key.isRSA else {
      throw JWTKeyError("The text is no private RSA key in PEM: it should begin with -----BEGIN PRIVATE KEY-----.")
    }
    guard key.bits >= 2048 else { throw JWTKeyError("An RSA key must have at least 2048 bits, not \(key.bits).") }
    self.key = key
    self.identifier = identifier
  }

  /// The public half as a JSON Web Key, for a set that others verify with.
  public var publicJWK: String {
    let (modulus, exponent) = key.rsaNumbers
    let name = identifier.map { #","kid":\#(JSONWebToken.quoted($0))"# } ?? ""
    return
      #"{"kty":"RSA","use":"sig","alg":"RS256"\#(name),"n":"\#(Base64URL.encode(modulus))","e":"\#(Base64URL.encode(exponent))"}"#
  }

  /// Signs claims, the text of a JSON object.
  public func sign(claims: String) throws(JWTKeyError) -> String {
    let name = identifier.map { #","kid":\#(JSONWebToken.quoted($0))"# } ?? ""
    let message = JSONWebToken.signingInput(head: #"{"alg":"RS256","typ":"JWT"\#(name)}"#, claims: claims)
    guard let signature = key.signature(of: Array(message.utf8)) else {
      throw JWTKeyError("OpenSSL cannot sign with the RSA key.")
    }
    return message + "." + Base64URL.encode(signature)
  }
}
