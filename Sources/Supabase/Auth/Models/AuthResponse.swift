/// What signing up, or signing in with a passkey, leads to.
public enum AuthResponse: Codable, Hashable, Sendable {
  /// The user is signed in.
  case session(Session)
  /// The user has to confirm the address or number first.
  case user(User)

  /// Reads a session if there is an access token, a user otherwise.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Session.CodingKeys.self)
    self = container.contains(.accessToken) ? .session(try Session(from: decoder)) : .user(try User(from: decoder))
  }

  /// Writes the session or the user.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .session(let session): try session.encode(to: encoder)
    case .user(let user): try user.encode(to: encoder)
    }
  }

  /// The user in either case.
  public var user: User {
    switch self {
    case .session(let session): session.user
    case .user(let user): user
    }
  }

  /// The session; nil if the user has to confirm something first.
  public var session: Session? { if case .session(let session) = self { session } else { nil } }
}
