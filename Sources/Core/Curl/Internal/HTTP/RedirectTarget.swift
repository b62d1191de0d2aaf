internal import SwiftwaterHTTP

/// Where a `Location` leads, seen from the request that it answers (RFC 3986 §5.2).
///
/// Spaces and other characters that no URL holds are percent-encoded, as browsers do; the fragment is left out, since
/// it is not sent.
struct RedirectTarget: Equatable {
  let scheme: String
  let authority: String
  let path: String

  /// Nil when it is no address for http or https, or holds a user's name or password.
  init?(_ location: String, from request: HTTPRequest) {
    var rest = Self.encoded(location)[...]
    guard !rest.isEmpty else { return nil }
    rest = rest.prefix { $0 != "#" }
    let base = (scheme: request.scheme?.lowercased() ?? "", authority: request.authority ?? "")
    let named = Self.takeScheme(&rest)
    scheme = named ?? base.scheme
    guard scheme == "http" || scheme == "https" else { return nil }
    if rest.hasPrefix("//") {
      authority = String(rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" })
      rest = rest.dropFirst(2 + authority.count)
      guard PreparedRequest.isAuthority(authority) else { return nil }
      path = Self.withoutDots(rest)
    } else if named == nil {
      authority = base.authority
      path = Self.path(rest, from: request.path)
    } else {
      return nil
    }
  }

  /// Whether scheme, host and port are those of the request.
  func hasOrigin(of request: HTTPRequest) -> Bool {
    let other = request.scheme?.lowercased() ?? ""
    return scheme == other
      && Self.hostAndPort(authority, scheme: scheme) == Self.hostAndPort(request.authority ?? "", scheme: other)
  }

  private static func hostAndPort(_ authority: String, scheme: String) -> String {
    let usual = scheme == "https" ? ":443" : ":80"
    let authority = authority.lowercased()
    if authority.hasSuffix(usual) { return authority }
    // In brackets, colons belong to an IPv6 address.
    let hasPort = authority.split(separator: "]", omittingEmptySubsequences: false).last?.contains(":") ?? false
    if authority.hasSuffix(":") { return authority.dropLast() + usual }
    return hasPort ? authority : authority + usual
  }

  private static func takeScheme(_ rest: inout Substring) -> String? {
    guard let mark = rest.firstIndex(where: { ":/?".contains($0) }), rest[mark] == ":", mark > rest.startIndex else {
      return nil
    }
    defer { rest = rest[rest.index(after: mark)...] }
    return rest[..<mark].lowercased()
  }

  private static func path(_ reference: Substring, from base: String) -> String {
    if reference.isEmpty { return base }
    let basePath = base.prefix { $0 != "?" }
    if reference.hasPrefix("?") { return "\(basePath.hasPrefix("/") ? basePath : "/")\(reference)" }
    if reference.hasPrefix("/") { return withoutDots(reference) }
    let folder = basePath.lastIndex(of: "/").map { basePath[...$0] } ?? "/"
    return withoutDots(folder + reference)
  }

  /// The path without `.` and `..` (RFC 3986 §5.2.4), beginning with a slash, and the query behind it.
  private static func withoutDots(_ reference: Substring) -> String {
    let path = reference.prefix { $0 != "?" }
    let query = reference[path.endIndex...]
    guard path.contains("/.") else { return "\(path.hasPrefix("/") ? "" : "/")\(path)\(query)" }
    var segments: [Substring] = []
    let given = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, segment) in given.enumerated() {
      let isLast = index == given.count - 1
      switch segment {
      case ".": if isLast { segments.append("") }
      case "..":
        _ = segments.popLast()
        if isLast { segments.append("") }
      default: segments.append(segment)
      }
    }
    return "/" + segments.joined(separator: "/") + query
  }

  private static func encoded(_ location: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in location.utf8 {
      if byte > 0x20 && byte < 0x7F {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
