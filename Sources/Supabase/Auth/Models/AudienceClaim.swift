/// Whom a token is for (RFC 7519 §4.1.3).
public enum AudienceClaim: Codable, Hashable, Sendable {
  /// One audience.
  case string(String)
  /// Several.
  case array([String])

  /// Reads a text or a list of texts.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let name = try? container.decode(String.self) {
      self = .string(name)
    } else {
      self = .array(try container.decode([String].self))
    }
  }

  /// Writes a text or a list of texts.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .string(let name): try container.encode(name)
    case .array(let names): try container.encode(names)
    }
  }
}
