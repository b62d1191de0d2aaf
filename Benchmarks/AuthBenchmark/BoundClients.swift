import BenchmarkSupport
import FoundationEssentials
import Supabase

/// What a server pays for a client of its own for each request's user.
enum BoundClients {
  static func figure() throws -> Figure {
    guard let url = URL(string: "http://localhost") else { preconditionFailure("The address is none.") }
    var configuration = SupabaseClient.Configuration()
    configuration.auth.localStorage = InMemoryLocalStorage()
    let client = try SupabaseClient(supabaseURL: url, supabaseKey: "key", configuration: configuration)
    var times: [Double] = []
    for round in 0..<200 {
      let start = Machine.threadTime()
      for number in 0..<100 { precondition(client.withAccessToken("\(round) \(number)") !== client) }
      times.append((Machine.threadTime() - start) / 100 / 1e3)
    }
    return Figure("a client bound to one user's token", median(times), "us", .valueAtMost(10))
  }
}
