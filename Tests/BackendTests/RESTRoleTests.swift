import PostgREST
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterTokens
import Testing

@Suite("Roles, tokens and row-level security")
struct RESTRoleTests {
  private static let notes = """
    create table notes (id int, owner text);
    insert into notes values (1, 'ada'), (2, 'grace');
    alter table notes enable row level security;
    create policy own on notes for select to authenticated
      using (owner = current_setting('request.jwt.claims', true)::json->>'sub');
    create table secrets (id int);
    revoke all on secrets from anon, authenticated;
    """

  private func token(_ claims: String) -> HTTPFields {
    [
      .authorization:
        "Bearer \(JSONWebToken.sign(claims: claims, secret: LocalBackend.Configuration.developmentSecret))"
    ]
  }

  @Test("Policies see the token's claims")
  func policies() async throws {
    try await TestBackend.with(Self.notes) { backend async throws in
      let ada = try await backend.send(.get, "/rest/v1/notes", token(#"{"role":"authenticated","sub":"ada"}"#))
      #expect(ada.text == #"[{"id":1,"owner":"ada"}]"#)
      #expect(try await backend.send(.get, "/rest/v1/notes", [.apikey: backend.backend.anonKey]).text == "[]")
      let all: [[String: StringOrInt]] = try await backend.client.from("notes").select().execute().value
      #expect(all.count == 2)
    }
  }

  @Test("Policies and defaults can ask who calls, as in a Supabase project")
  func authFunctions() async throws {
    let sql = """
      create table mine (id int, owner uuid not null default auth.uid());
      alter table mine enable row level security;
      create policy own on mine to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
      create view me as select auth.uid() as uid, auth.role() as role, auth.jwt() ->> 'sub' as sub;
      """
    try await TestBackend.with(sql) { backend async throws in
      let ada = "00000000-0000-4000-8000-00000000000a"
      let caller = token(#"{"role":"authenticated","sub":"\#(ada)"}"#)
      #expect(try await backend.send(.post, "/rest/v1/mine", caller, body: #"{"id":1}"#).status == 201)
      #expect(try await backend.send(.get, "/rest/v1/mine", caller).text == #"[{"id":1,"owner":"\#(ada)"}]"#)
      #expect(
        try await backend.send(.get, "/rest/v1/me", caller).text
          == #"[{"uid":"\#(ada)","role":"authenticated","sub":"\#(ada)"}]"#)
      let other = token(#"{"role":"authenticated","sub":"00000000-0000-4000-8000-00000000000b"}"#)
      #expect(try await backend.send(.get, "/rest/v1/mine", other).text == "[]")
    }
  }

  private enum StringOrInt: Decodable {
    case string(String), int(Int)
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let int = try? container.decode(Int.self) {
        self = .int(int)
      } else {
        self = .string(try container.decode(String.self))
      }
    }
  }

  @Test("One caller's role and claims never reach the next on the same connection")
  func isolation() async throws {
    try await TestBackend.with(Self.notes) { backend async throws in
      for _ in 0..<20 {
        let grace = try await backend.send(.get, "/rest/v1/notes", token(#"{"role":"authenticated","sub":"grace"}"#))
        #expect(grace.text == #"[{"id":2,"owner":"grace"}]"#)
        #expect(try await backend.send(.get, "/rest/v1/notes", token(#"{"role":"authenticated"}"#)).text == "[]")
        #expect(try await backend.send(.get, "/rest/v1/notes?id=eq.x", token(#"{"role":"anon"}"#)).status == 400)
      }
    }
  }

  @Test("Settings and roles that a function leaves behind reach nobody else")
  func leftBehind() async throws {
    let sql = """
      create table notes (id int);
      create function spoil() returns int language plpgsql as $$
      begin
        perform set_config('statement_timeout', '1', false), set_config('search_path', 'nowhere', false),
          set_config('request.jwt.claims', '{"sub":"spoiled"}', false), set_config('role', 'anon', false);
        return 1;
      end $$;
      create view spoiled as select spoil();
      create view settings as select current_user::text as name, current_setting('statement_timeout') as timeout,
        current_setting('search_path') as path, current_setting('request.jwt.claims') as claims;
      """
    try await TestBackend.with(sql) { backend async throws in
      let service = token(#"{"role":"service_role","sub":"me"}"#)
      let clean = try await backend.send(.get, "/rest/v1/settings", service).text
      for _ in 0..<10 {
        #expect(try await backend.send(.get, "/rest/v1/spoiled", service).status == 200)
        #expect(try await backend.send(.get, "/rest/v1/settings", service).text == clean)
        #expect(try await backend.send(.get, "/rest/v1/missing", service).status == 404)
      }
    }
  }

  @Test("A missing privilege is 401 for strangers and 403 for members")
  func privileges() async throws {
    try await TestBackend.with(Self.notes) { backend async throws in
      let stranger = try await backend.send(.get, "/rest/v1/secrets", [.apikey: backend.backend.anonKey])
      #expect(stranger.status == 401)
      #expect(stranger.text.contains("42501"))
      #expect(try await backend.send(.get, "/rest/v1/secrets", token(#"{"role":"authenticated"}"#)).status == 403)
      #expect(try await backend.send(.get, "/rest/v1/secrets", token(#"{"role":"nobody"}"#)).status == 401)
    }
  }

  @Test("Tokens that do not verify are 401 and say why")
  func badTokens() async throws {
    try await TestBackend.with { backend async throws in
      let expired = try await backend.send(.get, "/rest/v1/notes", token(#"{"role":"anon","exp":1}"#))
      #expect(expired.status == 401)
      #expect(expired.text.contains("PGRST303"))
      let forged = JSONWebToken.sign(claims: #"{"role":"service_role"}"#, secret: "guess")
      for value in ["Bearer \(forged)", "Bearer x", "Bearer a.b.c"] {
        let answer = try await backend.send(.get, "/rest/v1/notes", [.authorization: value])
        #expect(answer.status == 401)
        #expect(answer.text.contains("PGRST301"))
        #expect(answer.fields.contains { $0.name.canonicalName == "www-authenticate" })
      }
    }
  }
}
