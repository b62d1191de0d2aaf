/// What becomes of a refresh token that somebody presents.
enum RefreshDecision: Equatable {
  /// It is the family's newest: a new one takes its place.
  case rotate
  /// It was replaced a moment ago, or by a token that nobody has used yet, and whoever comes may not have heard of that:
  /// the family's newest is good.
  case hand(String)
  /// It was replaced long ago, so somebody has a copy: the whole family ends.
  case revokeFamily
  /// The session is over.
  case refuse(AuthError)

  /// What the database knows of a token.
  struct Presented: Decodable, Equatable {
    var id: Int
    var isRevoked: Bool
    /// Seconds since it was made or replaced.
    var age: Double
    /// Its session; nil where that was signed out.
    var sessionID: String?
    /// Seconds since the session began.
    var sessionAge: Double?
    /// Whether the session has an end that has passed.
    var isSessionOver: Bool
    var isBanned: Bool
    /// The family's token that is good now, if any.
    var newest: String?
    /// Whether it is the one that was replaced by that.
    var isParentOfNewest: Bool
  }

  init(_ token: Presented, reuseInterval: Duration, sessionLifetime: Duration?) {
    guard !token.isBanned else {
      self = .refuse(AuthError(400, .userBanned, "Invalid Refresh Token: User Banned"))
      return
    }
    guard token.sessionID != nil, let sessionAge = token.sessionAge else {
      self = .refuse(AuthError(400, .sessionNotFound, "Invalid Refresh Token: No Valid Session Found"))
      return
    }
    let isTooOld = sessionLifetime.map { $0 < .seconds(sessionAge) } ?? false
    guard !token.isSessionOver, !isTooOld else {
      self = .refuse(AuthError(400, .sessionExpired, "Invalid Refresh Token: Session Expired"))
      return
    }
    if !token.isRevoked {
      self = .rotate
    } else if let newest = token.newest, token.isParentOfNewest || .seconds(token.age) <= reuseInterval {
      self = .hand(newest)
    } else {
      self = .revokeFamily
    }
  }
}
