// The snippets of docs/guides/postgrest.md and of the module's pages that no backend needs to answer.
import FoundationEssentials
import PostgREST
import SwiftwaterStreams
import Testing

private struct Book: Codable {
  var id = 0
  var title = ""
}

private struct Author: Codable {
  var name: String
}

private struct Todo: Codable {
  var task: String
}

private struct Session: Sendable {
  func accessToken() async throws -> String? { "token" }
}

/// Answers a request by its table, and keeps what was asked.
private struct Library: ClientTransport {
  let asked = LockIsolated<[String]>([])

  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    asked.withLock { $0.append(request.path) }
    let accept = request.headerFields[.accept] ?? ""
    if accept == "text/csv" { return (HTTPResponse(status: .ok), HTTPBody("id,title")) }
    if accept.contains("object") {
      let none = #"{"code":"PGRST116","message":"","details":"The result contains 0 rows"}"#
      return (HTTPResponse(status: .init(code: 406)), HTTPBody(none))
    }
    return (HTTPResponse(status: .ok), HTTPBody(request.path.contains("/rpc/add") ? "3" : "[]"))
  }
}

@Suite("Snippets about tables")
struct PostgRESTSnippets {
  private func library() throws -> (PostgrestClient, Library) {
    let (library, url) = (Library(), try #require(URL(string: "http://h")))
    return (PostgrestClient(configuration: .init(url: url, http: .init(transport: library))), library)
  }

  @Test("Conditions join")
  func conditions() async throws {
    let (client, library) = try library()
    let words = #"a,b" (c)"#
    let found: [Book] = try await client.from("books").select()
      .or([
        .ilike("title", pattern: "%\(words)%"),
        .and([.contains("tags", value: [words]), .not(.is("published", value: nil))]),
      ])
      .notIn("id", values: [1, 2])
      .execute().value
    #expect(found.isEmpty)
    #expect(library.asked.value.first?.hasSuffix("&id=not.in.(1,2)") == true)

    let name = "Ada"
    let todos = client.from("todos").select()
      .or([.eq("owner", value: name), .and([.is("owner", value: nil), .gt("priority", value: 3)])])
    try await todos.execute()
  }

  @Test("Filters on embedded tables")
  func embedded() async throws {
    let (client, library) = try library()
    let authors: [Author] = try await client.from("authors").select("name, books!inner(title)")
      .eq("books.language", value: "en")
      .or([.gt("price", value: 10), .is("price", value: nil)], referencedTable: "books")
      .order("title", referencedTable: "books")
      .limit(3, referencedTable: "books")
      .execute().value
    #expect(authors.isEmpty)
    #expect(library.asked.value.first?.contains("&books.or=(price.gt.10,price.is.null)&books.order=title.") == true)
  }

  @Test("Pages, one row, lines")
  func shapes() async throws {
    let (client, library) = try library()
    for try await book in client.from("books").select().order("id").rows(as: Book.self, pageSize: 500) {
      print(book.title)
    }
    for try await todo in client.from("todos").select().order("id").rows(as: Todo.self) {
      print(todo.task)
    }
    let book: Book? = try await client.from("books").select().eq("id", value: 7).maybeSingle().execute().value
    let lines = try await client.from("books").select("id,title").csv().execute(as: String.self).value
    #expect(book == nil && lines == "id,title")
    #expect(library.asked.value.count == 4)
  }

  @Test("NULL, functions")
  func changes() async throws {
    let (client, library) = try library()
    try await client.from("books").update(["published": JSONValue.null]).eq("id", value: 7).execute()

    let sum: Int = try await client.rpc("add", params: ["a": 1, "b": 2]).execute().value
    let mine: [Book] = try await client.rpc("books_of", params: ["author": 7], get: true)
      .gt("price", value: 10).select("id,title").order("id")
      .execute().value
    #expect(sum == 3 && mine.isEmpty)
    #expect(library.asked.value.last?.hasPrefix("/rpc/books_of?author=7&price=gt.10&select=id,title&order=id.") == true)
  }

  @Test("A token's provider stands before the transport")
  func tokens() {
    let session = Session()
    let signedIn = AccessTokenMiddleware { try await session.accessToken() }
    var http = HTTPClientConfiguration.default
    http.middlewares = [signedIn]
    #expect(http.middlewares.count == 1)
  }
}
