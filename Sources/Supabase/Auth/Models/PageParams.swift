/// Which part of a list is wanted.
public struct PageParams: Hashable, Sendable {
  /// The page, from 1; nil for the first.
  public let page: Int?
  /// How many elements a page has; nil for the server's own number.
  public let perPage: Int?

  /// Asks for a page.
  public init(page: Int? = nil, perPage: Int? = nil) {
    self.page = page
    self.perPage = perPage
  }
}
