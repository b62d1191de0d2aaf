// Every line that says so must fail to compile, and no other: `CompileFailureTests` holds the compiler to it.
import PostgREST

struct Todo: Codable {
  var id: Int
}

func nilIsNoValue(query: PostgrestFilterBuilder, name: String?) {
  _ = query.eq("name", value: nil)  // must fail
  _ = query.eq("name", value: name)  // must fail
  _ = query.equals("name", value: name)  // must fail
  _ = query.gt("name", value: Optional(1))  // must fail
  _ = query.in("name", values: ["a", nil])  // must fail
  _ = query.in("name", values: [name])  // must fail
  _ = query.contains("names", value: [name])  // must fail
  _ = query.match(["name": name])  // must fail
  _ = query.like("name", pattern: name)  // must fail
  _ = query.or([.eq("name", value: name)])  // must fail
  _ = query.not("name", operator: .eq, value: nil)  // must fail
  _ = query.is("name", value: nil)
  _ = query.eq("name", value: name ?? "")
  _ = query.eq("data", value: JSONValue.null)
}

func wrongOrder(client: PostgrestClient) async throws {
  _ = client.from("todos").eq("id", value: 1)  // must fail
  _ = client.from("todos").order("id")  // must fail
  try await client.from("todos").execute()  // must fail
  _ = client.from("todos").select().single().eq("id", value: 1)  // must fail
  _ = client.from("todos").select().order("id").gt("id", value: 1)  // must fail
  _ = client.from("todos").select().limit(1).or("id.eq.1")  // must fail
  _ = try client.from("todos").insert(Todo(id: 1)).eq("id", value: 1)  // must fail
  _ = client.from("todos").select().maybeSingle().order("id")  // must fail
  _ = client.from("todos").select().maybeSingle().eq("id", value: 1)  // must fail
  _ = client.from("todos").select().insert(Todo(id: 1))  // must fail
  _ = client.from("todos").select().eq("id", value: 1).order("id").single().setHeader(name: "a", value: "b")
}

func aRowThatMayBeMissing(client: PostgrestClient) async throws {
  let query = client.from("todos").select().maybeSingle()
  let certain: Todo = try await query.execute().value  // must fail
  let perhaps: Todo? = try await query.execute().value
  print(certain, perhaps as Any)
}
