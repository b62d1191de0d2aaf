extension HTTPField {
  /// A field name: kept as written, compared without regard to case.
  public struct Name: Sendable, Hashable, CustomStringConvertible {
    /// The name as it was written.
    public let rawName: String
    /// The name in lower case, which HTTP/2 sends and comparison uses.
    public let canonicalName: String

    /// Checks a name; nil when it is not a token (RFC 9110 §5.1).
    public init?(_ name: String) {
      guard !name.isEmpty, name.utf8.allSatisfy(\.isHTTPToken) else { return nil }
      self.init(unchecked: name)
    }

    /// Takes a name that is known to be a token.
    package init(unchecked name: String) {
      rawName = name
      canonicalName =
        name.utf8.contains { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") } ? name.lowercased() : name
    }

    /// Takes the bytes of a name that is known to be a token.
    package init(token bytes: UnsafeBufferPointer<UInt8>) {
      self.init(unchecked: String(decoding: bytes, as: UTF8.self))
    }

    /// The name as it was written.
    public var description: String { rawName }

    /// Equal when the names differ in case at most.
    public static func == (left: Name, right: Name) -> Bool { left.canonicalName == right.canonicalName }

    /// Hashes the name without regard to case.
    public func hash(into hasher: inout Hasher) { hasher.combine(canonicalName) }
  }
}

extension HTTPField.Name {
  /// Media types the client can take.
  public static let accept = Self(unchecked: "Accept")
  /// Content codings the client can take.
  public static let acceptEncoding = Self(unchecked: "Accept-Encoding")
  /// Methods a resource offers.
  public static let allow = Self(unchecked: "Allow")
  /// Credentials of the request.
  public static let authorization = Self(unchecked: "Authorization")
  /// How long, and by whom, the message may be kept.
  public static let cacheControl = Self(unchecked: "Cache-Control")
  /// Control options of this connection, such as `close`.
  public static let connection = Self(unchecked: "Connection")
  /// The body's coding, such as `gzip`.
  public static let contentEncoding = Self(unchecked: "Content-Encoding")
  /// The body's length in bytes.
  public static let contentLength = Self(unchecked: "Content-Length")
  /// The part of the whole that the body holds.
  public static let contentRange = Self(unchecked: "Content-Range")
  /// The body's media type.
  public static let contentType = Self(unchecked: "Content-Type")
  /// The cookies of an earlier answer.
  public static let cookie = Self(unchecked: "Cookie")
  /// When the message was made.
  public static let date = Self(unchecked: "Date")
  /// Which version of the resource the body is.
  public static let eTag = Self(unchecked: "ETag")
  /// `100-continue`: the client waits with its body.
  public static let expect = Self(unchecked: "Expect")
  /// The authority that the request is for.
  public static let host = Self(unchecked: "Host")
  /// Only if the resource is that version.
  public static let ifMatch = Self(unchecked: "If-Match")
  /// Only if the resource is another version.
  public static let ifNoneMatch = Self(unchecked: "If-None-Match")
  /// When the resource was changed the last time.
  public static let lastModified = Self(unchecked: "Last-Modified")
  /// Where the result lies.
  public static let location = Self(unchecked: "Location")
  /// Wishes about how the request is handled (RFC 7240).
  public static let prefer = Self(unchecked: "Prefer")
  /// The wishes that were granted (RFC 7240).
  public static let preferenceApplied = Self(unchecked: "Preference-Applied")
  /// The part of the whole that is asked for.
  public static let range = Self(unchecked: "Range")
  /// The unit of `Range`.
  public static let rangeUnit = Self(unchecked: "Range-Unit")
  /// When to try again.
  public static let retryAfter = Self(unchecked: "Retry-After")
  /// A cookie to send with later requests.
  public static let setCookie = Self(unchecked: "Set-Cookie")
  /// The message's framing, such as `chunked`.
  public static let transferEncoding = Self(unchecked: "Transfer-Encoding")
  /// Where a request stands in a distributed trace (W3C Trace Context).
  public static let traceparent = Self(unchecked: "traceparent")
  /// What tracing systems add to `traceparent` (W3C Trace Context).
  public static let tracestate = Self(unchecked: "tracestate")
  /// The client program.
  public static let userAgent = Self(unchecked: "User-Agent")
  /// Fields of the request that the answer depends on.
  public static let vary = Self(unchecked: "Vary")
  /// The kinds of credentials that are asked for.
  public static let wwwAuthenticate = Self(unchecked: "WWW-Authenticate")
  /// How often the request has been sent before.
  public static let xRetryCount = Self(unchecked: "X-Retry-Count")
}

extension UInt8 {
  /// Whether the byte may stand in a token (RFC 9110 §5.6.2).
  package var isHTTPToken: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default:
      false
    }
  }
}
