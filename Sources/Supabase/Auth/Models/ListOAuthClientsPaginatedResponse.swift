/// A page of the project's OAuth clients.
public struct ListOAuthClientsPaginatedResponse: Hashable, Sendable {
  /// The clients.
  public var clients: [OAuthClient]
  /// The audience of the tokens.
  public var aud: String
  /// The next page; nil behind the last.
  public var nextPage: Int?
  /// The last page; 0 where the server does not tell.
  public var lastPage: Int
  /// How many clients there are; 0 where the server does not tell.
  public var total: Int

  /// Describes a page.
  public init(clients: [OAuthClient], aud: String, nextPage: Int? = nil, lastPage: Int, total: Int) {
    self.clients = clients
    self.aud = aud
    self.nextPage = nextPage
    self.lastPage = lastPage
    self.total = total
  }
}
