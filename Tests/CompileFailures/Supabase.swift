// The lines that end with "must fail" are errors, and no others: what the facade forbids.
import Foundation
import Supabase

func make(_ url: URL, _ key: String) async throws {
  _ = SupabaseClient(supabaseURL: url, supabaseKey: key)  // must fail
  let client = try SupabaseClient(supabaseURL: url, supabaseKey: key)
  _ = try SupabaseClient(supabaseURL: url, supabaseKey: key, configuration: .init(database: .init(schema: "s")))
  _ = try SupabaseClient(supabaseURL: url, supabaseKey: key, configuration: .init(auth: .init(schema: "s")))  // must fail
  client.configuration.global.headers = [:]  // must fail
  client.auth.configuration.autoRefreshToken = false  // must fail
  try await client.auth.signIn(email: "a", password: nil)  // must fail
  try await client.from("todos").select().eq("id", value: 1).execute()
  try await client.from("todos").select().execute().eq("id", value: 1)  // must fail
}
