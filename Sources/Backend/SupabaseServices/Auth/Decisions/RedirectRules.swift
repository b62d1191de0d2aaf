/// Which addresses a browser may be sent to with tokens.
struct RedirectRules: Sendable {
  let siteURL: String
  let patterns: [String]

  /// The address that was asked for if it may be, otherwise the application's own.
  func target(_ wanted: String?) -> String {
    guard let wanted, !wanted.isEmpty, allows(wanted) else { return siteURL }
    return wanted
  }

  func allows(_ address: String) -> Bool {
    // What could split a header field or hide a host is no address.
    guard address.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F && $0 != "\\" }),
      let host = Self.host(address)
    else { return false }
    let isWeb = address.hasPrefix("http://") || address.hasPrefix("https://")
    if isWeb, !host.isEmpty, host == Self.host(siteURL) { return true }
    if isWeb, host == "localhost" || host == "::1" || Self.isLoopback(host) { return true }
    let plain = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
    return patterns.contains { Self.matches(Array(plain.utf8)[...], Array($0.utf8)[...]) }
  }

  /// The host of `scheme://user@host:port/…` in lower case; empty where there is none, nil without a scheme and for what
  /// browsers may read in another way than this does.
  static func host(_ address: String) -> String? {
    guard let scheme = address.firstRange(of: ":") else { return nil }
    let rest = address[scheme.upperBound...]
    guard rest.hasPrefix("//") else { return "" }
    var authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
    // Whoever is named before an at sign is no host.
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    let isBracketed = authority.hasPrefix("[")
    if isBracketed { authority = authority.dropFirst() }
    let host = authority.prefix { $0 != (isBracketed ? "]" : ":") }
    var port = authority.dropFirst(host.count)
    if isBracketed {
      guard !host.isEmpty, host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }), port.hasPrefix("]") else {
        return nil
      }
      port = port.dropFirst()
    }
    guard isBracketed || !host.contains(where: { $0 == "[" || $0 == "]" }), isPort(port) else { return nil }
    return host.lowercased()
  }

  /// Whether what stands behind a host is nothing, or a colon and a port.
  private static func isPort(_ text: Substring) -> Bool {
    guard !text.isEmpty else { return true }
    let digits = text.dropFirst()
    return text.hasPrefix(":")
      && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      && (digits.isEmpty || UInt16(digits) != nil)
  }

  private static func isLoopback(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// `*` stands for any characters but dots and slashes, `**` for any, `?` for one.
  private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case UInt8(ascii: "*"):
      let isGreedy = rest.first == UInt8(ascii: "*")
      let behind = isGreedy ? rest.dropFirst() : rest
      var remaining = text
      while true {
        if matches(remaining, behind) { return true }
        guard let byte = remaining.popFirst(),
          isGreedy || byte != UInt8(ascii: "/") && byte != UInt8(ascii: ".")
        else { return false }
      }
    case UInt8(ascii: "?"):
      guard let byte = text.first, byte != UInt8(ascii: "/"), byte != UInt8(ascii: ".") else { return false }
      return matches(text.dropFirst(), rest)
    default:
      return text.first == first && matches(text.dropFirst(), rest)
    }
  }
}
