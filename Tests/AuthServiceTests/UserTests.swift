import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterHTTP
import Testing

@Suite("What users change of themselves")
struct UserTests {
  @Test("Metadata are merged, members of null go, and app_metadata are the administrator's")
  func metadata() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      func update(_ body: JSONValue) async throws -> AuthBackend.Answer {
        try await backend.send(.put, "/user", body, token: session.access)
      }
      #expect(try await update(["data": ["a": 1, "b": ["c": nil]]])["user_metadata"] == ["a": 1, "b": ["c": nil]])
      #expect(
        try await update(["data": ["a": nil, "d\"\\{": "x"]])["user_metadata"] == ["b": ["c": nil], "d\"\\{": "x"])
      let refused = try await update(["app_metadata": ["role": "admin"]])
      #expect(refused.status == 403)
      #expect(refused.code == "not_admin")
      #expect(try await update([:]).status == 200)
    }
  }

  @Test("A new password ends the other sessions, and must be another one")
  func password() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let other = try await backend.signIn("ada@example.com")
      func update(_ password: String) async throws -> AuthBackend.Answer {
        try await backend.send(.put, "/user", ["password": .string(password)], token: session.access)
      }
      #expect(try await update(AuthBackend.password).code == "same_password")
      #expect(try await update("12345").code == "weak_password")
      #expect(try await update(String(repeating: "x", count: 73)).code == "validation_failed")
      #expect(try await update("battery staple").status == 200)
      #expect(try await backend.refresh(other.refresh).code == "refresh_token_not_found")
      #expect(try await backend.refresh(session.refresh).status == 200)
      _ = try await backend.signIn("ada@example.com", password: "battery staple")
    }
  }

  @Test("An old session needs a code for a new password, where that is wanted")
  func reauthentication() async throws {
    try await AuthBackend.with {
      $0.auth.needsReauthenticationForPassword = true
    } _: { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      func update(_ body: JSONValue) async throws -> AuthBackend.Answer {
        try await backend.send(.put, "/user", body, token: session.access)
      }
      #expect(try await update(["password": "battery staple"]).status == 200)
      try await backend.backend.execute("update auth.sessions set created_at = now() - interval '25 hours'")
      #expect(try await update(["password": "another one"]).code == "reauthentication_needed")
      #expect(try await backend.send(.get, "/reauthenticate", token: session.access).status == 200)
      let code = try backend.message(to: "ada@example.com", .reauthentication).token
      #expect(try await update(["password": "another one", "nonce": "x"]).code == "reauthentication_not_valid")
      #expect(try await update(["password": "another one", "nonce": .string(code)]).status == 200)
      #expect(
        try await update(["password": "a third one", "nonce": .string(code)]).code == "reauthentication_not_valid")
    }
  }

  @Test("A number changes by the code that goes to it")
  func phone() async throws {
    try await AuthBackend.with { backend async throws in
      let session = try await backend.newSession("ada@example.com")
      let asked = try await backend.send(.put, "/user", ["phone": "+491701"], token: session.access)
      #expect(asked["new_phone"] == "491701")
      let message = try backend.message(to: "491701", .phoneChange)
      let changed = try backend.session(
        try await backend.post("/verify", ["type": "phone_change", "phone": "491701", "token": .string(message.token)]))
      #expect(changed.id == session.id)
      #expect(changed.user["phone"] == "491701")
      #expect(Set(changed.user["app_metadata"]?["providers"]?.arrayValue ?? []) == ["email", "phone"])
    }
  }

  @Test("Users' triggers, foreign keys and policies work on auth.users, and PostgREST takes their tokens")
  func project() async throws {
    let sql = """
      create table profiles (id uuid primary key references auth.users on delete cascade, name text);
      alter table profiles enable row level security;
      create policy own on profiles for all using (auth.uid() = id) with check (auth.uid() = id);
      create function welcome() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        if new.raw_user_meta_data ->> 'name' = 'forbidden' then raise exception 'not you'; end if;
        insert into public.profiles values (new.id, new.raw_user_meta_data ->> 'name');
        return new;
      end $$;
      create trigger on_auth_user_created after insert on auth.users for each row execute function welcome();
      """
    try await AuthBackend.with(sql) {
      $0.auth.confirmsEmailAtOnce = true
    } _: { backend async throws in
      var sessions: [AuthBackend.Session] = []
      for name in ["ada", "bob"] {
        sessions.append(
          try backend.session(
            try await backend.post(
              "/signup",
              [
                "email": "\(name)@example.com", "password": .string(AuthBackend.password),
                "data": ["name": .string(name)],
              ])))
      }
      let profiles = backend.backend.restURL.absoluteString + "/profiles?select=name"
      for (session, name) in zip(sessions, ["ada", "bob"]) {
        #expect(try await backend.send(.get, profiles, token: session.access).text == #"[{"name":"\#(name)"}]"#)
      }
      #expect(try await backend.send(.get, profiles, token: backend.backend.anonKey).text == "[]")
      let refused = try await backend.post(
        "/signup",
        ["email": "eve@example.com", "password": .string(AuthBackend.password), "data": ["name": "forbidden"]])
      #expect(refused.status == 500)
      #expect(refused["msg"] == "Database error saving new user: not you")
      #expect(try await backend.rows("select count(*) from auth.users") == ["2"])
      #expect(try await backend.admin(.delete, "/admin/users/\(sessions[0].id)").status == 200)
      #expect(try await backend.rows("select name from profiles") == ["bob"])
    }
  }

  @Test("A project's own small auth.users gets the columns it lacks, and its rows stay")
  func ownTable() async throws {
    try await AuthBackend.with { backend async throws in
      try await backend.backend.execute(
        """
        drop schema auth cascade; create schema auth; create table auth.users (id uuid primary key, email text);
        insert into auth.users values ('00000000-0000-4000-8000-00000000000a', 'stub@example.com');
        """)
      try await AuthBackend.with(database: backend.backend.databaseConnection) { second async throws in
        _ = try await second.newSession("ada@example.com")
        let list = try await second.admin(.get, "/admin/users")
        #expect(
          Set(list["users"]?.arrayValue?.compactMap { $0["email"] } ?? []) == ["stub@example.com", "ada@example.com"])
      }
    }
  }
}
