import FoundationEssentials
import SwiftwaterBackend
import TestSupport
import Testing

@Suite("The Python client against the backend")
struct PythonClientTests {
  private static let world = #"""
    create table countries (
      id int primary key, name text, continent text, tags text[] default '{}', about text, span int4range);
    insert into countries values
      (1, 'Algeria', 'Africa', '{sand,sea}', null, '[1,5)'), (2, 'Brazil', 'America', '{sea,wood}', null, '[8,10)'),
      (3, 'Chad, the lake', 'Africa', '{water}', 'It shrinks.', null), (4, 'Q"u\ote', null, '{paper}', null, null);
    create table cities (id int primary key, country_id int references countries, name text);
    insert into cities values (1, 1, 'Algiers'), (2, 1, 'Oran'), (3, 2, 'Natal');
    create table users (id int primary key, address jsonb);
    insert into users values (1, '{"street": "Melrose Place"}');
    create table quotes (catchphrase text);
    insert into quotes values ('The fat cats sat'), ('A dog barked'), ('Nobody');
    create table places (id int primary key, name text unique default 'unnamed');
    create function hello_world() returns text language sql immutable as $$ select 'Hello world' $$;
    create function echo(say text) returns text language sql immutable as $$ select say $$;
    create function add_one_each(arr int[]) returns int[] language sql immutable
      as $$ select array_agg(n + 1) from unnest(arr) n $$;
    create function list_countries() returns setof countries language sql stable as $$ select * from countries $$;
    analyze countries;
    """#

  @Test(
    "All examples of postgrest-py do what they say (needs Python)",
    .enabled(if: Witness.python != nil, "\(Witness.missing)"))
  func examples() async throws {
    let script = URL(filePath: #filePath).appending(path: "../../Witnesses/run-postgrest.py").standardizedFileURL.path
    try await TestBackend.with(Self.world) { backend async throws in
      let child = try ChildProgram(
        try #require(Witness.python),
        ["-W", "ignore", script, backend.backend.restURL.absoluteString, backend.backend.serviceRoleKey])
      let status = await child.status()
      #expect(status == 0)
      #expect(child.output == "done\n")
    }
  }
}
