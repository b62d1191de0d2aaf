// The guides' snippets, to be compiled and run. SnippetTests holds the guides against this text.
import FoundationEssentials
import PostgREST
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterTokens
import Testing

private struct Person: Codable {
  var id: Int
  var name: String
  var age: Int?
}

@Suite("Snippets of the guides", .serialized)
struct GuideSnippets {
  @Test("Reading and writing tables")
  func tables() async throws {
    let backend = try await LocalBackend.start()
    try await backend.execute("create table people (id int primary key, name text, age int)")
    let (url, key) = (backend.restURL, backend.serviceRoleKey)
    let client = PostgrestClient(configuration: .init(url: url, headers: [.apikey: key]))

    try await client.from("people").insert(Person(id: 1, name: "Ada", age: 36)).execute()
    let renamed: [Person] = try await client.from("people").update(["name": "Augusta"])
      .eq("id", value: 1).execute().value
    try await client.from("people").delete(returning: .minimal).eq("id", value: 1).execute()
    #expect(renamed.map(\.name) == ["Augusta"])

    try await client.from("people").insert(Person(id: 1, name: "Ada", age: 36)).execute()
    let adults: [Person] = try await client.from("people").select()
      .gte("age", value: 18)
      .order("name")
      .limit(20)
      .execute().value
    #expect(adults.map(\.id) == [1])

    let page = try await client.from("people").select("id,name", count: .exact)
      .order("id").range(from: 0, to: 9)
      .execute(as: [Person].self)
    print(page.value.count, "of", page.count ?? 0)

    do {
      try await client.from("people").insert(Person(id: 1, name: "Ada", age: 36)).execute()
    } catch let error as PostgrestError where error.code == .uniqueViolation {
      print(error.message, error.details ?? "")
    }
    await backend.stop()
  }

  @Test("Users sign in by a provider, and their messages are kept")
  func users() async throws {
    let (issuer, secret) = ("http://127.0.0.1:1", "secret")

    var configuration = LocalBackend.Configuration()
    configuration.auth.passwords.minimumLength = 8
    configuration.auth.providers["acme"] = OpenIDProvider(
      issuer: issuer, clientID: "my-app", clientSecret: secret)
    let backend = try await LocalBackend.start(configuration)
    let code = backend.inbox.first { $0.recipient == "ada@example.com" }?.token
    #expect(code == nil)
    await backend.stop()
  }

  @Test("Nothing is open in the beginning")
  func nothingOpen() async throws {
    let backend = try await LocalBackend.start()
    try await backend.execute("create table todos (task text primary key, done bool not null)")
    let client = PostgrestClient(
      configuration: .init(url: backend.restURL, headers: [.apikey: backend.anonKey]))
    #expect(try await client.from("todos").select(head: true, count: .exact).execute().count == 0)
    await backend.stop()
  }

  @Test("A project's files and keys of another issuer")
  func project() async throws {
    let folder = "/tmp/swiftwater-guide-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder + "/migrations", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (migrations, seed) = (folder + "/migrations", folder + "/seed.sql")
    try Data("create table todos (task text)".utf8).write(to: URL(filePath: migrations + "/1_todos.sql"))
    try Data("insert into todos values ('read')".utf8).write(to: URL(filePath: seed))
    let issuer = try ES256PrivateKey()

    var configuration = LocalBackend.Configuration(migrations: migrations)
    configuration.seed = seed
    configuration.jwtKeys = issuer.publicJWK
    let backend = try await LocalBackend.start(configuration)

    let token = try issuer.sign(claims: #"{"role":"anon"}"#)
    let client = PostgrestClient(
      configuration: .init(url: backend.restURL, headers: [.authorization: "Bearer \(token)"]))
    #expect(try await client.from("todos").select().execute().string == #"[{"task":"read"}]"#)
    await backend.stop()
  }
}
