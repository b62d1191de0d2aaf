internal import CCrypto

/// A public key, or a pair, of OpenSSL's.
// @unchecked: OpenSSL counts references atomically, and nothing changes a key after `init`.
final class CryptoKey: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// Takes over a key; nil for nil.
  init?(_ pointer: OpaquePointer?) {
    guard let pointer else {
      ERR_clear_error()
      return nil
    }
    self.pointer = pointer
  }

  deinit { EVP_PKEY_free(pointer) }

  /// A public key from its SubjectPublicKeyInfo (RFC 5280 §4.1). A point that is not on its curve is none.
  convenience init?(publicKey bytes: [UInt8]) {
    self.init(
      bytes.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return d2i_PUBKEY(nil, &start, buffer.count)
      })
  }

  /// A pair from its ECPrivateKey (RFC 5915).
  convenience init?(ellipticCurvePair bytes: [UInt8]) {
    self.init(
      bytes.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return d2i_PrivateKey(EVP_PKEY_EC, nil, &start, buffer.count)
      })
  }

  /// How many bits the key's modulus or order has.
  var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

  /// The SubjectPublicKeyInfo.
  var publicBytes: [UInt8] { Self.bytes { i2d_PUBKEY(self.pointer, $0) } }

  /// The type's own form: for elliptic curves the ECPrivateKey.
  var privateBytes: [UInt8] { Self.bytes { i2d_PrivateKey(self.pointer, $0) } }

  /// Whether the signature, in the form of OpenSSL's, is the key's for SHA-256 of the message.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1,
      EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    else {
      // What is left in the thread's queue would be taken for another's error.
      ERR_clear_error()
      return false
    }
    return true
  }

  /// The signature for SHA-256 of the message; nil if OpenSSL cannot make one.
  func signature(of message: [UInt8]) -> [UInt8]? {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var count = 0
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
      EVP_DigestSign(context, nil, &count, message, message.count) == 1
    else {
      ERR_clear_error()
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &bytes, &count, message, message.count) == 1 else {
      ERR_clear_error()
      return nil
    }
    return Array(bytes.prefix(count))
  }

  private static func bytes(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = write(&start)
    guard count > 0, let start else { return [] }
    defer { CRYPTO_free(start, #fileID, #line) }
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}
