import FoundationEssentials
import SwiftwaterBackend
import TestSupport
import Testing

@Suite("The Python clients of Supabase against the backend")
struct PythonAuthTests {
  private static let sql = """
    create table notes (id serial primary key, owner uuid not null default auth.uid() references auth.users, note text);
    alter table notes enable row level security;
    create policy own on notes for all using (owner = auth.uid()) with check (owner = auth.uid());
    """

  @Test(
    "Sign-up, sessions, codes, second factors, administration and rows work as documented (needs Python)",
    .enabled(if: Witness.python != nil, "\(Witness.missing)"))
  func flows() async throws {
    let script = URL(filePath: #filePath).appending(path: "../../Witnesses/run-supabase-auth.py").standardizedFileURL
      .path
    try await AuthBackend.with(Self.sql) { backend async throws in
      let running = backend.backend
      let child = try ChildProgram(
        try #require(Witness.python),
        ["-W", "ignore", script, running.url.absoluteString, running.anonKey, running.serviceRoleKey])
      let status = await child.status()
      #expect(status == 0)
      #expect(child.output == "done\n")
    }
  }
}
