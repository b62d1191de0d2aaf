internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP

/// What an address tells that a browser or mail has led back to.
struct AuthCallback: Sendable {
  /// Longer ones are none of ours.
  static let maximumLength = 64 << 10

  private var parameters: [String: String] = [:]

  /// Reads query and fragment; a parameter of the fragment wins.
  ///
  /// - Throws: `AuthError` of the kind `.oauthFlowFailed` for an address that is too long.
  init(_ url: URL) throws(AuthError) {
    guard url.absoluteString.utf8.count <= Self.maximumLength else {
      throw AuthError(kind: .oauthFlowFailed, message: "The address is too long to be one that a sign-in leads to.")
    }
    for part in [url.query(percentEncoded: true), url.fragment(percentEncoded: true)] {
      for pair in (part ?? "").split(separator: "&") {
        let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let name = Self.decode(words[0]), let value = Self.decode(words[1]) else { continue }
        parameters[name] = value
      }
    }
  }

  subscript(name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// What went wrong, if the address says so.
  var failure: AuthError? {
    guard let code = self["error_code"] ?? self["error"] ?? self["error_description"].map({ _ in "unknown" }) else {
      return nil
    }
    // Anybody can make such an address, so its words are only quoted.
    let words = self["error_description"] ?? self["error"] ?? "the provider has given no reason"
    return AuthError(
      kind: .oauthFlowFailed, message: Redactor.quote(String(words.prefix(1000))), errorCode: ErrorCode(code))
  }

  /// As forms are encoded: a plus is a space. nil for what is not encoded so, or no UTF-8.
  private static func decode(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
          let value = UInt8(digits, radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
