import PostgREST
import Testing

/// One request of the checklist: how it is written, what goes over the wire, and what comes back from the library's
/// tables (`Library`).
///
/// The same case runs in memory, where its request is compared, and against the backend, where its answer is.
struct WireCase: Sendable, CustomTestStringConvertible {
  enum Answer: Sendable {
    /// A body that is this JSON.
    case json(String)
    /// What `run` returns, to the letter.
    case text(String)
    /// A refusal with this code.
    case refusal(PostgrestError.Code)
    /// Whatever: the server needs settings or extensions for it. The request alone is compared.
    case notCompared
  }

  var name: String
  /// Method, path and query without percent-encoding.
  var request: String
  /// Fields that the request has, or must not have (nil).
  var fields: [String: String?] = [:]
  /// The body, as JSON.
  var body: String?
  var answer: Answer
  /// Runs the request and returns what is to be compared, the body as a rule.
  var run: @Sendable (PostgrestClient) async throws -> String

  var testDescription: String { name }

  static let all = filters + reads + writes + functions
}

extension WireCase {
  /// A filter, in one or several spellings that make the same request, with the books that it lets through.
  static func filter(
    _ name: String, _ wire: String, _ found: [Int],
    _ spellings: (@Sendable (PostgrestFilterBuilder) -> PostgrestFilterBuilder)...
  ) -> [WireCase] {
    let answer = Answer.json("[\(found.map { "{\"id\":\($0)}" }.joined(separator: ","))]")
    return spellings.enumerated().map { index, spelling in
      WireCase(
        name: index == 0 ? name : "\(name), spelling \(index + 1)",
        request: "GET /books?select=id&\(wire)&order=id.asc.nullslast",
        answer: index == 0 ? answer : .notCompared,
        run: { try await spelling($0.from("books").select("id")).order("id").execute().string })
    }
  }
}

/// The tables that the cases are about.
enum Library {
  static let schema = #"""
    create table authors (id int primary key, name text unique);
    create table books (
      id int primary key, author_id int references authors, title text, price float8, tags text[], pages int4range,
      info jsonb, in_print bool, published timestamptz, note text default 'new');
    create function add(a int, b int) returns int language sql immutable as 'select a + b';
    create function total(numbers int[]) returns bigint language sql immutable as 'select sum(n) from unnest(numbers) n';
    create function hello() returns text language sql immutable as $$ select 'hello' $$;
    create function books_of(author int) returns setof books language sql stable as
      'select * from books where author_id = author';
    create function forget_notes() returns void language sql as 'update books set note = null where true';
    """#

  /// Puts the rows back to what the cases expect.
  static let rows = #"""
    truncate authors, books;
    insert into authors values (1, 'Ada, Countess'), (2, 'Grace "Amazing" Hopper'), (3, 'null');
    insert into books values
      (1, 1, 'Notes', 10.5, '{math,history}', '[1,100)', '{"lang":"en","rank":1}', true,
        '2026-01-01T10:00:00.123456Z', null),
      (2, 1, 'Letters (1), "signed"', 20, '{history,"a,b"}', '[100,200)', '{"lang":"fr"}', false, null, 'x,y'),
      (3, 2, 'Compilers', 30, '{code}', '[50,150)', '{"lang":"en"}', null, null, ''),
      (4, 3, 'The fat cats', 40, '{}', '[300,400)', null, true, null, 'null');
    """#
}
