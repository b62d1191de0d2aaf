internal import FoundationEssentials
internal import Helpers

/// A request under construction: a value that builders copy, change and hand on.
struct PostgrestRequest: Sendable {
  /// The path behind the service's address, percent-encoded.
  var path: String
  var method = HTTPRequest.Method.get
  var query: [(name: String, value: String)] = []
  var prefer: [String] = []
  var format = ResponseFormat()
  var fields = HTTPFields()
  var body: [UInt8]?
  var timeout: Duration?
  var retryEnabled: Bool?
  /// Why the request cannot be sent; thrown when it runs, so that building needs no `try`.
  var fault: String?

  init(relation: String) { path = relation.percentEncodedForPath }

  init(function: String) {
    path = "rpc/" + function.percentEncodedForPath
    method = .post
  }

  /// The value of a parameter of which the server heeds only one.
  subscript(name: String) -> String? { query.first { $0.name == name }?.value }

  /// Replaces a parameter of which the server heeds only one.
  ///
  /// - Parameter table: the embedded table that it is about; nil for the request's own.
  mutating func set(_ name: String, to value: String, in table: String? = nil) {
    change(name, in: table) { $0 = value }
  }

  /// Adds to a comma-separated parameter: the server ignores a second `order=`.
  mutating func append(_ name: String, _ value: String, in table: String?) {
    change(name, in: table) { $0 += ($0.isEmpty ? "" : ",") + value }
  }

  private mutating func change(_ name: String, in table: String?, _ change: (inout String) -> Void) {
    let name = table.map { "\($0).\(name)" } ?? name
    let index = query.firstIndex { $0.name == name } ?? query.endIndex
    if index == query.endIndex { query.append((name, "")) }
    change(&query[index].value)
  }

  /// States a preference, in place of an earlier one on the same subject.
  mutating func prefer(_ subject: String, _ value: String) {
    prefer.removeAll { $0.hasPrefix(subject + "=") }
    prefer.append("\(subject)=\(value)")
  }

  /// The message to send.
  func head(for configuration: PostgrestClient.Configuration) throws(PostgrestError) -> HTTPRequest {
    if let fault = fault ?? format.fault { throw PostgrestError(kind: .invalidRequest, message: fault) }
    var request: HTTPRequest
    do throws(HTTPError) {
      request = try HTTPRequest(method: method, url: configuration.url, headerFields: fields(for: configuration))
    } catch {
      throw PostgrestError(
        kind: .invalidRequest, message: "The client's URL needs a scheme and a host, as in https://host/rest/v1.",
        underlyingError: error)
    }
    var base = configuration.url.path(percentEncoded: true)
    while base.hasSuffix("/") { base.removeLast() }
    var target = base + "/" + path
    for (index, item) in query.enumerated() {
      target += (index == 0 ? "?" : "&") + item.name.percentEncodedForQuery + "=" + item.value.percentEncodedForQuery
    }
    request.path = target
    request.timeout = timeout
    if !(retryEnabled ?? configuration.retryEnabled) { request.retry = .never }
    return request
  }

  /// This call's fields, over the configured ones, over the SDK's own.
  private func fields(for configuration: PostgrestClient.Configuration) -> HTTPFields {
    var asked = fields
    if !format.isPlain, !asked.contains(.accept) { asked[.accept] = format.mediaType }
    var defaults: HTTPFields = [.accept: format.mediaType, .xClientInfo: ClientInfo.value]
    if body != nil { defaults[.contentType] = "application/json" }
    if let schema = configuration.schema {
      defaults[method == .get || method == .head ? .acceptProfile : .contentProfile] = schema
    }
    var merged = asked.merging(defaults: configuration.headers).merging(defaults: defaults)
    if !prefer.isEmpty {
      merged[.prefer] = ([merged[.prefer]].compactMap(\.self) + prefer).joined(separator: ", ")
    }
    return merged
  }
}

extension HTTPField.Name {
  static let acceptProfile = Self(unchecked: "Accept-Profile")
  static let contentProfile = Self(unchecked: "Content-Profile")
}
