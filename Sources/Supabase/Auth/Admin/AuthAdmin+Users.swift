public import Helpers
internal import SwiftwaterHTTP

extension AuthAdmin {
  /// A page of the project's users; ``users(perPage:)`` goes through all of them.
  ///
  /// - Throws: `AuthError`; `CancellationError`.
  public func listUsers(params: PageParams? = nil) async throws -> ListUsersPaginatedResponse {
    struct Answer: Decodable {
      let users: [User]
      let aud: String?
    }
    let (response, bytes) = try await api.send(AuthRequest(.get, "admin", "users", query: params.query))
    let answer: Answer = try AuthAPI.decode(bytes, response)
    let pages = PageLinks(response.headerFields)
    return ListUsersPaginatedResponse(
      users: answer.users, aud: answer.aud ?? "", nextPage: pages.next, lastPage: pages.last ?? 0,
      total: pages.total ?? 0)
  }

  /// All users of the project, fetched page by page as a loop goes on.
  ///
  /// - Parameter perPage: How many users are asked for at a time; the server's own number unless given.
  /// - Returns: A sequence that throws `AuthError`, and `CancellationError` when the task is cancelled.
  public func users(perPage: Int? = nil) -> PageSequence<User> {
    PageSequence(startingAt: 1) { page in
      let response = try await listUsers(params: PageParams(page: page, perPage: perPage))
      // A server that names the page it was asked for again must not be asked without end.
      return (response.users, response.nextPage.flatMap { $0 > page ? $0 : nil })
    }
  }
}
