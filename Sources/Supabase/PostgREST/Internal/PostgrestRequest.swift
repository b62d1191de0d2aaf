internal import FoundationEssentials
internal import Helpers

/// A request under construction: a value that builders copy, change and hand on.
struct PostgrestRequest: Sendable {
  var relation: String
  var method = HTTPRequest.Method.get
  var query: [(name: String, value: String)] = []
  var prefer: [String] = []
  var fields = HTTPFields()
  var body: [UInt8]?
  var timeout: Duration?
  /// Why the request cannot be sent; thrown when it runs, so that building needs no `try`.
  var fault: String?

  init(relation: String) { self.relation = relation }

  /// Replaces a parameter of which the server heeds only one.
  mutating func set(_ name: String, to value: String) {
    if let index = query.firstIndex(where: { $0.name == name }) {
      query[index].value = value
    } else {
      query.append((name, value))
    }
  }

  /// Adds to a comma-separated parameter: the server ignores a second `order=`.
  mutating func append(_ name: String, _ value: String) {
    if let index = query.firstIndex(where: { $0.name == name }) {
      query[index].value += "," + value
    } else {
      query.append((name, value))
    }
  }

  /// States a preference, in place of an earlier one on the same subject.
  mutating func prefer(_ subject: String, _ value: String) {
    prefer.removeAll { $0.hasPrefix(subject + "=") }
    prefer.append("\(subject)=\(value)")
  }

  /// The message to send.
  func head(for configuration: PostgrestClient.Configuration) throws(PostgrestError) -> HTTPRequest {
    if let fault { throw PostgrestError(kind: .invalidRequest, message: fault) }
    guard let scheme = configuration.url.scheme, let host = configuration.url.host(percentEncoded: true), !host.isEmpty
    else {
      throw PostgrestError(
        kind: .invalidRequest, message: "The client's URL needs a scheme and a host, as in https://host/rest/v1.")
    }
    let authority = configuration.url.port.map { "\(host):\($0)" } ?? host
    var base = configuration.url.path(percentEncoded: true)
    while base.hasSuffix("/") { base.removeLast() }
    var path = base + "/" + relation.percentEncodedForPath
    for (index, item) in query.enumerated() {
      path += (index == 0 ? "?" : "&") + item.name.percentEncodedForQuery + "=" + item.value.percentEncodedForQuery
    }
    return HTTPRequest(
      method: method, scheme: scheme, authority: authority, path: path, headerFields: fields(for: configuration),
      timeout: timeout)
  }

  /// This call's fields, over the configured ones, over the SDK's own.
  private func fields(for configuration: PostgrestClient.Configuration) -> HTTPFields {
    var defaults: HTTPFields = [.accept: "application/json", .xClientInfo: ClientInfo.value]
    if body != nil { defaults[.contentType] = "application/json" }
    if let schema = configuration.schema {
      defaults[method == .get || method == .head ? .acceptProfile : .contentProfile] = schema
    }
    // A project's key also stands for its bearer until somebody signs in.
    if let key = configuration.headers[.apikey] { defaults[.authorization] = "Bearer \(key)" }
    var merged = fields.merging(defaults: configuration.headers).merging(defaults: defaults)
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
