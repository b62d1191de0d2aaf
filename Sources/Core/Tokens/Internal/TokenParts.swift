internal import SwiftwaterHTTP

/// The three parts of a token's text, nothing decoded.
struct TokenParts {
  private let bytes: [UInt8]
  private let headEnd: Int
  private let claimsEnd: Int

  init(_ text: String) throws(JSONWebToken.Refusal) {
    guard !text.isEmpty else { throw .empty }
    let bytes = Array(text.utf8)
    var (first, last, dots) = (0, 0, 0)
    bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: ".") {
          if dots == 0 { first = index }
          (last, dots) = (index, dots + 1)
        }
        index += 1
      }
    }
    guard dots == 2 else { throw .parts(dots + 1) }
    (self.bytes, headEnd, claimsEnd) = (bytes, first, last)
  }

  var head: ArraySlice<UInt8> { bytes[..<headEnd] }
  var claims: ArraySlice<UInt8> { bytes[(headEnd + 1)..<claimsEnd] }
  var signature: ArraySlice<UInt8> { bytes[(claimsEnd + 1)...] }
  /// What is signed: head and claims as they stand there.
  var message: ArraySlice<UInt8> { bytes[..<claimsEnd] }
}
