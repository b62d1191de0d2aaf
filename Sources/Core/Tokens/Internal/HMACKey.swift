internal import CCrypto

/// A secret that makes authentication codes with HMAC-SHA-256 (RFC 2104).
///
/// Both hashes have taken in their half of the key already and are copied for each message, which costs a fraction of
/// OpenSSL's way to begin anew with each.
// @unchecked: nothing changes a context after `init`; copying one only reads it.
final class HMACKey: @unchecked Sendable {
  private let inner: OpaquePointer
  private let outer: OpaquePointer

  /// nil if OpenSSL has no memory left.
  init?(_ secret: [UInt8]) {
    let block = 64
    var key = secret
    if key.count > block {
      key = [UInt8](repeating: 0, count: 32)
      SHA256(secret, secret.count, &key)
    }
    key += [UInt8](repeating: 0, count: block - key.count)
    guard let inner = Self.context(key.map { $0 ^ 0x36 }) else { return nil }
    guard let outer = Self.context(key.map { $0 ^ 0x5C }) else {
      EVP_MD_CTX_free(inner)
      return nil
    }
    (self.inner, self.outer) = (inner, outer)
  }

  deinit {
    EVP_MD_CTX_free(inner)
    EVP_MD_CTX_free(outer)
  }

  /// The 32 bytes for a message; nil if OpenSSL has no memory left.
  func code(of message: ArraySlice<UInt8>) -> [UInt8]? {
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    var digest = [UInt8](repeating: 0, count: 32)
    let isMade =
      EVP_MD_CTX_copy_ex(context, inner) == 1
      && message.withUnsafeBufferPointer { EVP_DigestUpdate(context, $0.baseAddress, $0.count) } == 1
      && EVP_DigestFinal_ex(context, &digest, nil) == 1 && EVP_MD_CTX_copy_ex(context, outer) == 1
      && EVP_DigestUpdate(context, digest, digest.count) == 1 && EVP_DigestFinal_ex(context, &digest, nil) == 1
    return isMade ? digest : nil
  }

  /// SHA-256 that has taken in one block.
  private static func context(_ block: [UInt8]) -> OpaquePointer? {
    let context = EVP_MD_CTX_new()
    guard EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1, EVP_DigestUpdate(context, block, block.count) == 1 else {
      EVP_MD_CTX_free(context)
      return nil
    }
    return context
  }
}
