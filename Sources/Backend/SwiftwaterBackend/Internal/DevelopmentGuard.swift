internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

/// Keeps web pages of strangers away from a backend whose keys everybody knows.
///
/// A page may send requests to 127.0.0.1 from its visitor's browser. The browser tells its `Origin`, which must be of this
/// machine; or the page's own name has been made to point to 127.0.0.1 (DNS rebinding), and then the name stands in
/// `Host`, which must be an address or `localhost`.
enum DevelopmentGuard {
  /// The refusal; nil for a request that may pass.
  static func refusal(of request: HTTPRequest) -> ServerResponse? {
    if let authority = request.authority ?? request.headerFields[.host], case let host = name(ofAuthority: authority),
      !host.isEmpty, !isAddress(host), !isLocal(host)
    {
      return refusal("The name in Host is not this machine's")
    }
    if let origin = request.headerFields[.origin], !isLocal(originHost(origin)) {
      return refusal("Pages of other machines are not answered")
    }
    return nil
  }

  /// Whether only this machine can reach a server that listens there.
  static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.") && isAddress(host)
  }

  private static func refusal(_ reason: String) -> ServerResponse {
    ServerResponse(
      status: .init(code: 403), headerFields: [.contentType: "application/json; charset=utf-8"],
      body: HTTPBody(
        #"{"code":"403","details":null,"hint":"Start the backend with a JWT secret of your own.","#
          + #""message":"\#(reason) while the backend is in development mode."}"#))
  }

  private static func isLocal(_ host: String) -> Bool {
    let host = host.lowercased()
    return host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || isLoopback(host)
  }

  /// An address cannot be made to point elsewhere.
  private static func isAddress(_ host: String) -> Bool {
    if host.hasPrefix("["), host.hasSuffix("]") { return true }
    // By bytes and by hand, since every request comes by here.
    var (numbers, digits, value) = (1, 0, 0)
    for byte in host.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        (digits, value) = (digits + 1, value * 10 + Int(byte - UInt8(ascii: "0")))
        if digits > 3 || value > 255 { return false }
      case UInt8(ascii: ".") where digits > 0: (numbers, digits, value) = (numbers + 1, 0, 0)
      default: return false
      }
    }
    return numbers == 4 && digits > 0
  }

  private static func originHost(_ origin: String) -> String {
    guard let scheme = origin.firstRange(of: "://") else { return "" }
    return name(ofAuthority: String(origin[scheme.upperBound...]))
  }

  /// The host without the port.
  private static func name(ofAuthority authority: String) -> String {
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
    return String(decoding: authority.utf8.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
  }
}

extension HTTPField.Name {
  fileprivate static let origin = Self(unchecked: "Origin")
}
