import SwiftwaterPostgres
import Testing

@Suite("The documentation's example")
struct DocumentationTests {
  @Test("It does what it says")
  func overview() async throws {
    let cluster = try await PostgresCluster.start(.temporary)
    let pool = try PostgresPool(cluster.connectionString())
    try await pool.executeScript("create table trips (id int primary key, name text not null)")

    let name = "Rhine's valley"
    let results = try await pool.execute([
      "select set_config('request.user', \(name), true)",
      "insert into trips values (\(1), \(name))",
      "select name, current_setting('request.user') from trips",
    ])
    print(results[2].string(row: 0, column: 0) ?? "nothing")
    #expect(results[2].string(row: 0, column: 0) == name)
    #expect(results[2].string(row: 0, column: 1) == name)

    await pool.close()
    await cluster.stop()
  }
}
