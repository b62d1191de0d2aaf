import PostgREST
import SwiftwaterPostgres
import TestSupport
import Testing

@testable import SupabaseServices

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

  /// Functions that leave what no reset at the beginning of the next transaction would reach, and one that looks for it.
  private static let leavers = """
    create table notes (id int);
    insert into notes values (1), (2);
    create function leave_read_only() returns void language plpgsql as $$
      begin perform set_config('default_transaction_read_only', 'on', false); end $$;
    create function leave_isolation() returns void language plpgsql as $$
      begin execute 'set session characteristics as transaction isolation level serializable, deferrable'; end $$;
    create function leave_setting(name text, value text) returns void language plpgsql as $$
      begin perform set_config(name, value, false); end $$;
    create function leave_table() returns void language plpgsql as $$
      begin create temp table notes (id int); end $$;
    create function leave_lock() returns void language plpgsql as $$
      begin perform pg_advisory_lock(42); end $$;
    create function leave_lock_and_fail() returns void language plpgsql as $$
      begin perform pg_try_advisory_lock_shared(43); raise 'no'; end $$;
    create function leave_cursor() returns void language plpgsql as $$
      begin execute 'declare left_open cursor with hold for select id from notes'; end $$;
    create function leave_channel() returns void language plpgsql as $$ begin listen left_open; end $$;
    create function found() returns text language plpgsql as $$ begin return concat_ws('|',
      current_setting('transaction_read_only'), current_setting('transaction_isolation'),
      current_setting('transaction_deferrable'), (select count(*) from notes),
      (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
      (select count(*) from pg_cursors where is_holdable), (select count(*) from pg_listening_channels())); end $$;
    """

  @Test("Nothing that a function leaves behind a transaction is there for the next one")
  func leftBehindTheTransaction() async throws {
    try await TestBackend.with(Self.leavers) { backend async throws in
      try await PooledService.with(backend) { service async throws in
        #expect(try await service.service.catalogs.current().cleanup == Leftover.allCases.map(\.cleanup))
        for (leaver, arguments, status) in [
          ("read_only", "{}", 204), ("isolation", "{}", 204), ("table", "{}", 204), ("lock", "{}", 204),
          ("lock_and_fail", "{}", 400), ("cursor", "{}", 204), ("channel", "{}", 204),
          ("setting", #"{"name":"default_transaction_read_only","value":"on"}"#, 204),
        ] {
          // Twice: a table of the same name is no trouble the second time.
          for _ in 1...2 {
            let answer = try await service.send(.post, "/rpc/leave_\(leaver)", body: arguments)
            #expect(answer.status == status, "\(leaver): \(answer.text)")
            let found = try await service.send(.post, "/rpc/found", body: "{}").text
            #expect(found == #""off|read committed|off|2|0|0|0""#, "\(leaver)")
          }
          #expect(try await service.send(.patch, "/notes?id=eq.1", body: #"{"id":1}"#).status == 204)
        }
      }
    }
  }

  @Test("A database without such functions pays for nothing")
  func nothingToLeave() async throws {
    let sql = """
      create function harmless() returns text language plpgsql as $$ begin
        perform set_config('app.x', '1', true), pg_advisory_xact_lock(1), nullif(current_setting('app.temperature', true), '');
        return 'listening';
      end $$;
      """
    try await TestBackend.with(sql) { backend async throws in
      try await PooledService.with(backend) { service async throws in
        #expect(try await service.service.catalogs.current().cleanup.isEmpty)
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
