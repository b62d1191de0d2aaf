import PostgREST
import SupabaseServices
import SwiftwaterPostgres
import TestSupport
import Testing

@Suite("What a request leaves on its connection")
struct CarryOverTests {
  /// Functions that leave something behind, each in its own way, and one that tells who calls and under which settings.
  private static let sql = """
    create table notes (id int, owner text);
    insert into notes values (1, 'ada'), (2, 'grace');
    alter table notes enable row level security;
    create policy own on notes to authenticated using (owner = current_setting('request.jwt.claims', true)::json->>'sub');
    create function who() returns text language sql volatile as $$
      select concat_ws('|', current_user, current_setting('request.jwt.claims')::json->>'sub',
        current_setting('statement_timeout'), current_setting('search_path'), current_setting('timezone'),
        nullif(current_setting('app.left', true), ''), current_setting('request.method'),
        (select count(*) from public.notes)) $$;
    create function spoil_role() returns void language plpgsql as $$
      begin perform set_config('role', 'service_role', false); end $$;
    create function spoil_settings() returns void language plpgsql as $$
      begin perform set_config('statement_timeout', '1', false), set_config('search_path', 'nowhere', false),
        set_config('request.jwt.claims', '{"sub":"x"}', false), set_config('app.left', 'x', false),
        set_config('timezone', 'Asia/Tokyo', false), set_config('row_security', 'off', false); end $$;
    create function spoil_table() returns void language plpgsql as $$
      begin create temporary table if not exists notes (id int, owner text); end $$;
    create function spoil_lock() returns void language plpgsql as $$
      begin perform pg_advisory_lock(42); end $$;
    create function spoil_statement() returns void language plpgsql as $$
      begin for n in 1..300 loop begin execute format('prepare s%s as select 666', n);
        exception when duplicate_prepared_statement then null; end; end loop; end $$;
    create function spoil_statements() returns void language plpgsql as $$
      begin execute 'deallocate all'; end $$;
    create function spoil_listen() returns void language plpgsql as $$
      begin execute 'listen left'; perform pg_notify('left', 'x'); end $$;
    create function spoil_cursor() returns void language plpgsql as $$
      begin execute 'declare left cursor with hold for select 1'; exception when others then null; end $$;
    create function spoil_error() returns void language plpgsql as $$
      begin perform set_config('role', 'anon', false), set_config('app.left', 'x', false); raise 'no'; end $$;
    create function nap() returns text language sql volatile as $$ select pg_sleep(0.002); select public.who() $$;
    """

  private static let spoilers = [
    "role", "settings", "table", "lock", "statement", "statements", "listen", "cursor", "error",
  ]

  private static let callers: [(claims: String, name: String, sub: String, rows: Int)] = [
    (#"{"role":"authenticated","sub":"ada"}"#, "authenticated", "ada", 1),
    (#"{"role":"service_role","sub":"me"}"#, "service_role", "me", 2),
    (#"{"role":"authenticated","sub":"nobody"}"#, "authenticated", "nobody", 0),
    (#"{"role":"anon","sub":"stranger"}"#, "anon", "stranger", 0),
  ]

  @Test("The next caller on the connection is itself, under its own settings, whatever the one before has done")
  func interleaved() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      var clean: [String] = []
      try await PooledService.with(backend) { service async throws in
        for caller in Self.callers {
          let text = try await service.send(.post, "/rpc/who", PooledService.token(caller.claims), body: "{}").text
          #expect(text.hasPrefix("\"\(caller.name)|\(caller.sub)|"))
          #expect(text.hasSuffix("|\(caller.rows)\""))
          clean.append(text)
        }
      }
      try await PooledService.with(backend) { service async throws in
        for spoiler in Self.spoilers {
          for (spoiling, next) in [(1, 0), (0, 3), (3, 1), (2, 2), (1, 3)] {
            _ = try await service.send(
              .post, "/rpc/spoil_\(spoiler)", PooledService.token(Self.callers[spoiling].claims), body: "{}")
            let caller = PooledService.token(Self.callers[next].claims)
            #expect(try await service.send(.post, "/rpc/who", caller, body: "{}").text == clean[next], "\(spoiler)")
            let rows = try await service.send(.get, "/notes?select=id,n:owner&id=gt.0", caller)
            #expect(rows.status == 200, "\(spoiler): \(rows.text)")
            #expect(rows.text.count { $0 == "{" } == Self.callers[next].rows, "\(spoiler)")
            #expect(try await service.send(.get, "/missing", caller).status == 404, "\(spoiler)")
          }
          service.service.reloadSchema()
        }
      }
    }
  }

  @Test("Callers that are cancelled anywhere on the way leave nothing to others")
  func cancelled() async throws {
    try await TestBackend.with(Self.sql) { backend async throws in
      try await PooledService.with(backend) { service async throws in
        try await withThrowingTaskGroup(of: (Int, String?).self) { group in
          for number in 0..<120 {
            let index = number % Self.callers.count
            group.addTask {
              let call = Task {
                try await service.send(.post, "/rpc/nap", PooledService.token(Self.callers[index].claims), body: "{}")
                  .text
              }
              if number % 3 == 0 {
                // Anywhere between before it starts and after it ends.
                for _ in 0..<number * number { await Task.yield() }
                call.cancel()
              }
              do {
                return (index, try await call.value)
              } catch is CancellationError {
                return (index, nil)
              }
            }
          }
          for try await (index, text) in group {
            guard let text else { continue }
            let caller = Self.callers[index]
            #expect(text.hasPrefix("\"\(caller.name)|\(caller.sub)|") && text.hasSuffix("|\(caller.rows)\""), "\(text)")
          }
        }
        #expect(try await service.send(.get, "/notes").status == 200)
      }
    }
  }
}
