internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

/// One request, its parts read.
struct AuthCall: Sendable {
  let request: ServerRequest
  private let query: QueryParameters
  private let body: [UInt8]

  /// So many bytes a body may have.
  static let maximumBody = 1024 * 1024

  init(_ request: ServerRequest) async throws {
    self.request = request
    let parts = request.head.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    do {
      query = try QueryParameters(parts.count > 1 ? parts[1] : "")
    } catch {
      throw AuthError.invalid("The query is not percent-encoded UTF-8")
    }
    do {
      body = try await request.collectBody(upTo: Self.maximumBody)
    } catch let error as HTTPServerError where error.code == .contentTooLarge {
      throw AuthError(413, .validationFailed, "The request's body is larger than \(Self.maximumBody) bytes")
    }
  }

  /// Whether reading the body takes more than a fraction of a millisecond.
  var isLarge: Bool { body.count > 64 * 1024 }

  /// A parameter of the query, nil where it is missing or empty.
  func parameter(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// A parameter of the path that must be a UUID.
  func identifier(_ name: String) throws(AuthError) -> String {
    guard let text = try? request.parameter(name), let identifier = UUID(uuidString: text) else {
      throw AuthError(404, .validationFailed, "\(name) must be an UUID")
    }
    return identifier.uuidString.lowercased()
  }

  /// The body as a type; an empty one as an empty object.
  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws(AuthError) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: body.isEmpty ? Data("{}".utf8) : Data(body))
    } catch let error as DecodingError {
      throw .badJSON(Self.reason(error))
    } catch {
      throw .badJSON("invalid")
    }
  }

  /// The body of a form (`application/x-www-form-urlencoded`), as providers send.
  var form: QueryParameters? {
    String(validating: body, as: UTF8.self).flatMap { try? QueryParameters($0[...]) }
  }

  /// The client's address, without a zone, which PostgreSQL's type for addresses lacks.
  var address: String { String(request.peer.host.prefix { $0 != "%" }) }

  /// What requests are counted by: the client's address, or what a proxy says of it in the field of that name.
  func limitedAddress(field: String?) -> String {
    guard let name = field.flatMap({ HTTPField.Name($0) }), let value = request.head.headerFields[name] else {
      return Self.network(address)
    }
    return Self.network(String(value.prefix { $0 != "," }.prefix(100)))
  }

  /// Whoever has one IPv6 address has its whole network of 2^64.
  private static func network(_ address: String) -> String {
    guard address.contains(":"), !address.contains(".") else { return address }
    let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.split(separator: ":") }
    let zeros = halves.count > 1 ? max(0, 8 - halves[0].count - halves[1].count) : 0
    let groups = halves[0] + Array(repeating: "0", count: zeros) + (halves.count > 1 ? halves[1] : [])
    return groups.prefix(4).joined(separator: ":")
  }

  /// What the client says of itself.
  var userAgent: String? { request.head.headerFields[.userAgent].map { String($0.prefix(512)) } }

  /// The token behind `Bearer`; nil where there is none.
  var bearerToken: String? {
    guard let value = request.head.headerFields[.authorization] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].drop { $0 == " " })
  }

  /// What is wrong, without the values, which may be secrets.
  private static func reason(_ error: DecodingError) -> String {
    func place(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
      (context.codingPath + (last.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
    }
    return switch error {
    case .typeMismatch(_, let context): "\(place(context)) has the wrong type"
    case .valueNotFound(_, let context): "\(place(context)) is null"
    case .keyNotFound(let key, let context): "\(place(context, key)) is missing"
    case .dataCorrupted(let context) where !context.codingPath.isEmpty: "\(place(context)) is invalid"
    default: "invalid JSON"
    }
  }
}
