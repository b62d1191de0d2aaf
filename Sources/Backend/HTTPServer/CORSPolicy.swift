public import SwiftwaterHTTP

/// What scripts of other origins may do (CORS, Fetch standard §3.3), as a wrapper around a handler.
///
/// ```swift
/// var policy = CORSPolicy()
/// policy.origins = .listed(["https://example.com"])
/// let server = HTTPServer(handler: policy.wrap(router.handler))
/// ```
///
/// Preflights are answered without asking the handler. Requests of origins that are not allowed, and of programs that
/// are no browsers, pass unchanged: CORS keeps a browser from handing out answers, it does not keep anybody from
/// asking.
public struct CORSPolicy: Sendable {
  /// Whose scripts are allowed.
  public enum Origins: Sendable {
    /// Everyone's.
    case any
    /// Those of these origins, written as browsers do: `https://example.com`, `http://localhost:3000`, `null`.
    case listed(Set<String>)
    /// Those of the origins for which the function returns true.
    case matching(@Sendable (_ origin: String) -> Bool)
  }

  /// Which header fields a script may set.
  public enum RequestHeaders: Sendable {
    /// All that it asks for.
    case any
    /// All that it asks for, between those that are granted unasked.
    case anyBetween(_ first: [HTTPField.Name], _ last: [HTTPField.Name])
    /// These, besides those that every script may set.
    case listed([HTTPField.Name])
  }

  /// Whose scripts are allowed. Everyone's by default.
  public var origins = Origins.any
  /// The methods a script may use besides `GET`, `HEAD` and `POST`.
  public var methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]
  /// The header fields a script may set. All by default.
  public var requestHeaders = RequestHeaders.any
  /// The header fields of responses a script may see, besides those that every script may.
  public var exposedHeaders: [HTTPField.Name] = []
  /// Whether the browser may send cookies and client certificates along. With `Origins.any` that lets every page act in
  /// the name of its visitor. Off by default.
  public var allowsCredentials = false
  /// Whether pages of the public web may reach this server in a private network. Off by default.
  public var allowsPrivateNetwork = false
  /// The status of answers to preflights. 204 by default; there are clients that take only 200 for consent.
  public var preflightStatus = HTTPResponse.Status.noContent
  /// How long a browser may remember the answer to a preflight, in whole seconds; nil leaves it to the browser.
  public var maximumAge: Duration?

  /// Every origin, the usual methods, all header fields, no credentials.
  public init() {}

  /// A handler that answers preflights, and adds to the responses of `handler` what the policy grants.
  ///
  /// - Parameter errorResponse: words the answer when `handler` throws; without the fields it would get here a script
  ///   could not tell a failure from a refusal.
  public func wrap(
    _ handler: @escaping HTTPServer.Handler,
    errorResponse: @escaping HTTPServer.ErrorResponse = { ServerResponse.failure($0, message: $1) }
  ) -> HTTPServer.Handler {
    let exposed = Self.list(exposedHeaders)
    return { request in
      let origin = request.head.headerFields[.origin]
      if let origin, let preflight = preflight(request.head, from: origin) { return preflight }
      var response: ServerResponse
      do {
        response = try await handler(request)
      } catch {
        response = try ServerResponse.answer(to: error, errorResponse: errorResponse)
      }
      if grant(origin, &response.head.headerFields) {
        response.head.headerFields[.accessControlExposeHeaders] = exposed
      }
      return response
    }
  }

  /// The answer to a preflight (Fetch standard §4.8), nil if the request is none.
  private func preflight(_ request: HTTPRequest, from origin: String) -> ServerResponse? {
    guard request.method == .options, request.headerFields.contains(.accessControlRequestMethod) else { return nil }
    var fields = HTTPFields()
    if grant(origin, &fields) {
      fields[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
      switch requestHeaders {
      case .any: fields[.accessControlAllowHeaders] = request.headerFields[.accessControlRequestHeaders]
      case .anyBetween(let first, let last):
        let asked = request.headerFields[values: .accessControlRequestHeaders]
          .flatMap { $0.split { $0 == "," || $0 == " " }.compactMap { HTTPField.Name(String($0)) } }
        fields[.accessControlAllowHeaders] = Self.list(first + asked + last)
      case .listed(let names): fields[.accessControlAllowHeaders] = Self.list(names)
      }
      if allowsPrivateNetwork, request.headerFields[.accessControlRequestPrivateNetwork] == "true" {
        fields[.accessControlAllowPrivateNetwork] = "true"
      }
      if let maximumAge { fields[.accessControlMaxAge] = String(max(0, maximumAge.components.seconds)) }
    }
    Self.vary(.accessControlRequestMethod, &fields)
    Self.vary(.accessControlRequestHeaders, &fields)
    if allowsPrivateNetwork { Self.vary(.accessControlRequestPrivateNetwork, &fields) }
    return ServerResponse(status: preflightStatus, headerFields: fields)
  }

  /// Adds what every response says to scripts of an origin, and what it depends on. False when it is not allowed.
  private func grant(_ origin: String?, _ fields: inout HTTPFields) -> Bool {
    if case .any = origins, !allowsCredentials {
      // The same for everyone, so that a cache may keep it.
      fields[.accessControlAllowOrigin] = "*"
    } else {
      Self.vary(.origin, &fields)
      guard let origin, allows(origin) else { return false }
      fields[.accessControlAllowOrigin] = origin
      if allowsCredentials { fields[.accessControlAllowCredentials] = "true" }
    }
    return true
  }

  private func allows(_ origin: String) -> Bool {
    switch origins {
    case .any: true
    case .listed(let listed): listed.contains(origin)
    case .matching(let isAllowed): isAllowed(origin)
    }
  }

  private static func list(_ names: [HTTPField.Name]) -> String? {
    names.isEmpty ? nil : names.map(\.rawName).joined(separator: ", ")
  }

  private static func vary(_ name: HTTPField.Name, _ fields: inout HTTPFields) {
    let listed = fields[values: .vary].flatMap { $0.split { $0 == "," || $0 == " " }.map { $0.lowercased() } }
    guard !listed.contains("*"), !listed.contains(name.canonicalName) else { return }
    fields[.vary] = (fields[values: .vary] + [name.rawName]).joined(separator: ", ")
  }
}

extension HTTPField.Name {
  static let origin = Self(unchecked: "Origin")
  static let accessControlRequestMethod = Self(unchecked: "Access-Control-Request-Method")
  static let accessControlRequestHeaders = Self(unchecked: "Access-Control-Request-Headers")
  static let accessControlRequestPrivateNetwork = Self(unchecked: "Access-Control-Request-Private-Network")
  static let accessControlAllowOrigin = Self(unchecked: "Access-Control-Allow-Origin")
  static let accessControlAllowMethods = Self(unchecked: "Access-Control-Allow-Methods")
  static let accessControlAllowHeaders = Self(unchecked: "Access-Control-Allow-Headers")
  static let accessControlAllowCredentials = Self(unchecked: "Access-Control-Allow-Credentials")
  static let accessControlAllowPrivateNetwork = Self(unchecked: "Access-Control-Allow-Private-Network")
  static let accessControlExposeHeaders = Self(unchecked: "Access-Control-Expose-Headers")
  static let accessControlMaxAge = Self(unchecked: "Access-Control-Max-Age")
}
