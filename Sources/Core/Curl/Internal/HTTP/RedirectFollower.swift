internal import SwiftwaterHTTP

/// Decides from each response what is sent next (RFC 9110 §15.4).
struct RedirectFollower {
  /// Nil when redirects are not followed.
  private let maximum: Int?
  private var count = 0

  init(_ redirects: CurlTransport.Redirects) {
    switch redirects {
    case .follow(let maximum): self.maximum = maximum
    case .none: maximum = nil
    }
  }

  /// The request that follows `request` after that response; nil when the response is for the caller.
  ///
  /// It is for the caller, too, when it asks for a body once more that can be read only once.
  ///
  /// - Throws: `HTTPError` of the kind `.redirectFailed`.
  mutating func next(
    after response: HTTPResponse, to request: HTTPRequest, body: HTTPBody?
  ) throws(HTTPError) -> (HTTPRequest, HTTPBody?)? {
    guard let maximum, let location = response.headerFields[.location] else { return nil }
    var (next, body) = (request, body)
    switch (response.status.code, request.method) {
    case (303, .get), (303, .head): break
    case (303, _), (301, .post), (302, .post): Self.turnIntoGet(&next, &body)
    case (301, _), (302, _), (307, _), (308, _): break
    default: return nil
    }
    guard body?.iterationBehavior != .single else { return nil }
    count += 1
    guard count <= maximum else { throw Self.failure("The server has redirected more than \(maximum) times.") }
    guard let target = RedirectTarget(location, from: request) else {
      throw Self.failure("The server redirects to something that is no address for http or https.")
    }
    guard request.scheme?.lowercased() != "https" || target.scheme == "https" else {
      throw Self.failure("The server redirects from https to http, which is not followed.")
    }
    if !target.hasOrigin(of: request) { Self.dropWhatIsForTheOrigin(&next) }
    next.scheme = target.scheme
    next.authority = target.authority
    next.path = target.path
    return (next, body)
  }

  private static func turnIntoGet(_ request: inout HTTPRequest, _ body: inout HTTPBody?) {
    body = nil
    request.method = .get
    request.headerFields = request.headerFields.dropping { name in
      name.canonicalName.hasPrefix("content-") || name.canonicalName.hasSuffix("digest") || name == .expect
    }
  }

  private static func dropWhatIsForTheOrigin(_ request: inout HTTPRequest) {
    request.headerFields = request.headerFields.dropping { $0.isCredential || $0 == .host }
  }

  private static func failure(_ message: String) -> HTTPError { HTTPError(kind: .redirectFailed, message: message) }
}

extension HTTPFields {
  fileprivate func dropping(_ isDropped: (HTTPField.Name) -> Bool) -> HTTPFields {
    HTTPFields(filter { !isDropped($0.name) })
  }
}
