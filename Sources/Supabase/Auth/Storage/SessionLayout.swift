internal import FoundationEssentials
internal import Helpers

/// A session as supabase-swift stores it: its members' Swift names, and dates as seconds since 2001.
///
/// Other releases and SDKs have stored the names of the wire, dates as text, or both inside of `session`; all of them
/// are read.
enum SessionLayout {
  static func encode(_ session: Session) throws -> [UInt8] {
    let encoder = JSONEncoder()
    // As Date codes itself.
    encoder.dateEncodingStrategy = .deferredToDate
    let value = try JSONDecoder().decode(JSONValue.self, from: encoder.encode(session))
    return Array(try JSONEncoder().encode(renaming(value, by: camelCase)))
  }

  static func decode(_ bytes: [UInt8]) throws -> Session {
    var value = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    if let wrapped = value["session"] { value = wrapped }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      if let seconds = try? container.decode(Double.self) { return Date(timeIntervalSinceReferenceDate: seconds) }
      guard let date = ISO8601.date(from: try container.decode(String.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "A date is expected.")
      }
      return date
    }
    return try decoder.decode(Session.self, from: JSONEncoder().encode(renaming(value, by: snakeCase)))
  }

  /// Renames the members of the session and of what it is made of, and leaves what users and servers have named alone.
  private static func renaming(_ session: JSONValue, by rename: (String) -> String) -> JSONValue {
    func members(_ value: JSONValue) -> JSONValue {
      guard let object = value.objectValue else { return value }
      return .object(Dictionary(object.map { (rename($0.key), $0.value) }) { _, last in last })
    }
    func elements(_ value: JSONValue) -> JSONValue { .array((value.arrayValue ?? []).map(members)) }
    var session = members(session)
    if let user = session["user"] {
      var renamed = members(user)
      if let identities = renamed["identities"], !identities.isNull { renamed["identities"] = elements(identities) }
      if let factors = renamed["factors"], !factors.isNull { renamed["factors"] = elements(factors) }
      session["user"] = renamed
    }
    return session
  }

  /// `access_token` for `accessToken`.
  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
  }

  /// `accessToken` for `access_token`.
  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.dropFirst().reduce(String(words.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }
}
