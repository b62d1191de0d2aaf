/// A page of the project's users.
public struct ListUsersPaginatedResponse: Hashable, Sendable {
  /// The users.
  public var users: [User]
  /// The audience of their tokens.
  public var aud: String
  /// The next page; nil behind the last.
  public var nextPage: Int?
  /// The last page; 0 where the server does not tell.
  public var lastPage: Int
  /// How many users there are; 0 where the server does not tell.
  public var total: Int

  /// Describes a page.
  public init(users: [User], aud: String, nextPage: Int? = nil, lastPage: Int, total: Int) {
    self.users = users
    self.aud = aud
    self.nextPage = nextPage
    self.lastPage = lastPage
    self.total = total
  }
}
