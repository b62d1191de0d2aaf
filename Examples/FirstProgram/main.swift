import PostgREST
import SwiftwaterBackend

struct Todo: Codable {
  var task: String
  var done = false
}

let backend = try await LocalBackend.start()
try await backend.execute("create table todos (task text primary key, done bool not null)")

let client = PostgrestClient(
  configuration: .init(url: backend.restURL, headers: [.apikey: backend.serviceRoleKey]))
try await client.from("todos").insert(Todo(task: "Try Swiftwater")).execute()
let open: [Todo] = try await client.from("todos").select().eq("done", value: false).execute().value
print(open)

await backend.stop()
