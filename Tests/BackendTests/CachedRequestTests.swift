import PostgREST
import SwiftwaterBackend
import SwiftwaterHTTP
import SwiftwaterPostgres
import Testing

@testable import SupabaseServices

@Suite("What requests of one form have in common")
struct CachedRequestTests {
  private static let sql = """
    create table authors (id int primary key, name text, tags jsonb, active boolean);
    create table books (id int primary key, title text, author_id int references authors);
    insert into authors select i, 'Author ' || i, '{"n":1}', true from generate_series(1, 30) i;
    insert into books select i, 'Book ' || i, i from generate_series(1, 30) i;
    create function twice(n int) returns int language sql immutable as 'select n * 2';
    """

  private struct Sample: CustomTestStringConvertible {
    var method = HTTPRequest.Method.get
    var fields: HTTPFields = [:]
    var target: String
    var other: String
    var body: String?
    var otherBody: String?
    var testDescription: String { "\(method.rawValue) \(target)" }
  }

  private static let samples: [Sample] = [
    Sample(target: "/books?id=eq.1", other: "/books?id=eq.22"),
    Sample(target: "/books?id=eq.1", other: "/books?id=eq."),
    Sample(target: "/books?title=eq.a", other: "/books?title=eq.null"),
    Sample(
      target: "/books?title=eq.a", other: "/books?title=eq.(1,2)*%25+%27%22%5C%00".replacing("%00", with: "%E2%82%AC")),
    Sample(
      target: "/books?id=gte.1&title=neq.a&id=lt.9&select=id,title&order=id.desc&limit=5",
      other: "/books?id=gte.3&title=neq.b%20c&id=lt.8&select=id,title&order=id.desc&limit=5"),
    Sample(
      target: "/books?select=*,authors!inner(name)&authors.name=eq.x&title=gt.a&authors.order=name",
      other: "/books?select=*,authors!inner(name)&authors.name=eq.y&title=gt.b&authors.order=name"),
    Sample(target: "/authors?tags->>n=eq.1", other: "/authors?tags->>n=eq.2"),
    Sample(target: "/authors?or=(id.eq.1,id.eq.2)&id=lte.5", other: "/authors?or=(id.eq.1,id.eq.2)&id=lte.6"),
    Sample(method: .head, fields: [.prefer: "count=exact"], target: "/books?id=lt.5", other: "/books?id=lt.6"),
    Sample(
      fields: [.accept: "application/vnd.pgrst.object+json"], target: "/books?id=eq.5", other: "/books?id=eq.6"),
    Sample(
      method: .post, target: "/books", other: "/books", body: #"{"id":100,"title":"a"}"#,
      otherBody: #"{"title":"b","id":101}"#),
    Sample(
      method: .post, fields: [.prefer: "return=representation, resolution=merge-duplicates"],
      target: "/books?select=id", other: "/books?select=id", body: #"[{"id":100},{"id":101}]"#,
      otherBody: #"[{"id":7}]"#),
    Sample(
      method: .patch, target: "/books?id=eq.1", other: "/books?id=eq.2", body: #"{"title":"x"}"#,
      otherBody: #"{"title":"y"}"#),
    Sample(
      method: .put, target: "/books?id=eq.1", other: "/books?id=eq.2", body: #"{"id":1,"title":"x"}"#,
      otherBody: #"{"id":2,"title":"y"}"#),
    Sample(method: .delete, target: "/books?id=eq.1&title=eq.a", other: "/books?id=eq.2&title=eq.b"),
    Sample(method: .post, target: "/rpc/twice", other: "/rpc/twice", body: #"{"n":1}"#, otherBody: #"{"n":2}"#),
  ]

  @Test("The kept plan with a request's values is the plan that the request has by itself")
  func plans() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      try await PooledService.with(backend) { service async throws in
        let catalog = try await service.service.catalogs.current()
        for sample in Self.samples {
          let head = HTTPRequest(method: sample.method, path: "", headerFields: sample.fields)
          func plan(_ target: String, _ body: String?) throws -> (RequestForm, RESTRequest, Payload?, Plan) {
            let request = try RESTRequest(head, target: target, catalog.configuration)
            let payload = try body.map { try Payload(Array($0.utf8), of: request) }
            let form = try #require(RequestForm(head, target: target))
            return (form, request, payload, try Plan(request, payload, catalog))
          }
          let (form, _, payload, first) = try plan(sample.target, sample.body)
          catalog.remember(first, payload, form, head)
          let (otherForm, request, otherPayload, expected) = try plan(sample.other, sample.otherBody)
          #expect(form.key == otherForm.key, "\(sample)")
          let cached = try #require(catalog.cachedRequest(of: otherForm), "\(sample)")
          #expect(cached.request(otherForm.values).canonicalQuery == request.canonicalQuery, "\(sample)")
          let kept = try #require(cached.plan(otherForm.values, otherPayload), "\(sample)")
          #expect(kept.statement == expected.statement, "\(sample)")
          #expect(kept.isInParts == expected.isInParts && kept.isReadOnly == expected.isReadOnly, "\(sample)")
        }
      }
    }
  }

  @Test(
    "Whatever else a request says makes another form",
    arguments: [
      ("/books?id=eq.1", "/books?id=in.(1)"), ("/books?id=in.(1)", "/books?id=in.(2)"),
      ("/books?id=eq.1", "/books?id=neq.1"), ("/books?id=eq.1", "/books?id=not.eq.1"),
      ("/books?title=like.a*", "/books?title=like.b*"), ("/books?title=is.null", "/books?title=is.true"),
      ("/books?limit=1", "/books?limit=2"), ("/books?offset=1", "/books?offset=2"),
      ("/books?select=id", "/books?select=title"), ("/books?order=id", "/books?order=title"),
      ("/books?and=(id.eq.1)", "/books?and=(id.eq.2)"), ("/books?select=eq.1", "/books?select=eq.2"),
      ("/books?authors.limit=eq.1", "/books?authors.limit=eq.2"), ("/books?%6Fr=eq.1", "/books?%6Fr=eq.2"),
      ("/books?id=eq(any).{1}", "/books?id=eq(any).{2}"), ("/books?id=eq.1", "/books?id=eq.1&"),
      ("/rpc/twice?n=1", "/rpc/twice?n=2"), ("/books", "/authors"),
    ])
  func differentForms(_ first: String, _ second: String) throws {
    let head = HTTPRequest(method: .get, path: "")
    let keys = try [first, second].map { try #require(RequestForm(head, target: $0)).key }
    #expect(keys[0] != keys[1])
  }

  @Test("Fields that decide on the answer make another form, the others do not")
  func fields() throws {
    func key(_ fields: HTTPFields, _ method: HTTPRequest.Method = .get) throws -> ExactText {
      try #require(RequestForm(HTTPRequest(method: method, path: "", headerFields: fields), target: "/books?id=eq.1"))
        .key
    }
    let plain = try key([:])
    #expect(try key([.userAgent: "x", .authorization: "Bearer y"]) == plain)
    #expect(try key([:], .head) != plain)
    for name: HTTPField.Name in [.accept, .prefer, .contentType, .range, .acceptProfile, .contentProfile] {
      #expect(try key([name: "x"]) != plain)
      #expect(try key([name: "x"]) != key([name: "y"]))
    }
  }

  @Test(
    "Malformed and very long requests have no form",
    arguments: [
      "/books?id=eq.%zz", "/books?id=eq.%", "/books?id=eq.%00", "/books?a=\0",
      "/" + String(repeating: "a", count: 3000),
    ])
  func none(_ target: String) {
    #expect(RequestForm(HTTPRequest(method: .get, path: ""), target: target) == nil)
  }

  @Test("What would take much memory is not kept")
  func bounds() throws {
    let long = String(repeating: "a", count: 5000)
    let head = HTTPRequest(method: .get, path: "", headerFields: [.accept: "text/\(long)"])
    #expect(RequestForm(head, target: "/books?id=eq.1") == nil)
    #expect(CachedRequest.Shape(.json("{}", keys: [long], isArray: false)) == nil)
    #expect(CachedRequest.Shape(.json("{}", keys: ["a"], isArray: false)) != nil)
  }

  @Test("Of fields of one name a function sees the last, however many there are")
  func manyFields() async throws {
    let sql =
      "create function seen() returns json language sql stable as $$ select current_setting('request.headers')::json $$"
    try await TestBackend.with(sql) { backend async throws in
      var fields = HTTPFields()
      for number in 0..<3000 {
        fields.append(HTTPField(name: try #require(.init("X-\(number % 1500)")), value: "\(number)"))
      }
      let seen = try await backend.send(.get, "/rest/v1/rpc/seen", fields)
      #expect(seen.status == 200)
      #expect(seen.text.contains(#""x-0":"1500""#) && seen.text.contains(#""x-1499":"2999""#))
      #expect(!seen.text.contains(#""x-0":"0""#))
    }
  }

  @Test(
    "Requests of one form get their own rows, whoever asks and in whatever order, and the schema may change between them"
  )
  func answers() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      try await withThrowingTaskGroup { group in
        for number in 1...30 {
          group.addTask {
            let answer = try await backend.send(.get, "/rest/v1/books?id=eq.\(number)&select=title")
            #expect(answer.text == #"[{"title":"Book \#(number)"}]"#)
            #expect(answer.fields[.init("Content-Location") ?? .location] == "/books?id=eq.\(number)&select=title")
          }
        }
        try await group.waitForAll()
      }
      #expect(try await backend.send(.get, "/rest/v1/books?id=eq.x").status == 400)
      try await backend.backend.execute(
        "alter table books alter id type text using 'n' || id; alter table books rename title to name")
      let changed = try await backend.send(.get, "/rest/v1/books?id=eq.n3&select=name")
      #expect(changed.text == #"[{"name":"Book 3"}]"#)
      #expect(try await backend.send(.get, "/rest/v1/books?id=eq.n4&select=title").status == 400)
    }
  }
}
