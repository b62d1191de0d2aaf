/// What a verified code leads to.
public enum VerifyOTPResponse: Decodable, Hashable, Sendable {
  /// The user is signed in.
  case session(Session)
  /// The code was right, and the user is not signed in by it.
  case user(User)
  /// The code was right, and there is more to do: of a change of address that both addresses confirm this was the first
  /// half. The text is the server's.
  case message(String)

  private enum CodingKeys: String, CodingKey {
    case msg
    case accessToken = "access_token"
  }

  /// Reads what the server has answered.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.accessToken) {
      self = .session(try Session(from: decoder))
    } else if let message = try container.decodeIfPresent(String.self, forKey: .msg) {
      self = .message(message)
    } else {
      self = .user(try User(from: decoder))
    }
  }

  /// The session, if there is one.
  public var session: Session? { if case .session(let session) = self { session } else { nil } }

  /// The user, if the answer has one.
  public var user: User? {
    switch self {
    case .session(let session): session.user
    case .user(let user): user
    case .message: nil
    }
  }
}
