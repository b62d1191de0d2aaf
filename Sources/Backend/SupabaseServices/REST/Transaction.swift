internal import FoundationEssentials
internal import SwiftwaterPostgres

/// The statements of one request, which PostgreSQL runs as one transaction.
struct Transaction {
  private(set) var statements: [PostgresStatement]
  let answerIndex: Int
  /// What is known of how long it takes, if it should be over at once.
  let brevity: Brevity?
  private var estimateIndex: Int?
  private let count: Preferences.Count?

  // A function may have changed settings beyond its own transaction; the next caller is not to inherit them. The role
  // is no such setting: the context sets it each time.
  static let reset: PostgresStatement = "RESET ALL"

  init(
    _ request: RESTRequest, _ plan: Plan, _ context: RequestContext, _ configuration: RESTService.Configuration
  ) {
    count = request.preferences.count
    brevity = configuration.preRequest == nil ? plan.brevity : nil
    statements = [Self.reset]
    if let level = plan.routine?.isolationLevel.flatMap(Self.isolationLevel) {
      // Bound to a name, since an interpolated literal would make a parameter of the value.
      let sql = "SET TRANSACTION ISOLATION LEVEL \(level)"
      statements.append(PostgresStatement(sql))
    }
    statements.append(context.statement)
    if let preRequest = Self.preRequest(configuration) { statements.append(preRequest) }
    answerIndex = statements.count
    statements.append(plan.statement)
    if let estimate = plan.estimate {
      estimateIndex = statements.count
      statements.append(estimate)
    }
    // Without values there are no types that could be outdated.
    if let relation = plan.typedRelation, !plan.statement.parameters.isEmpty {
      statements.append(CatalogQuery.check(of: relation))
    }
    if Self.isRolledBack(request, configuration) {
      // What the commit would complain of is to be known all the same.
      statements += ["SET CONSTRAINTS ALL IMMEDIATE", "ROLLBACK"]
    }
  }

  /// Calls the function that runs before each request; nil if there is none.
  static func preRequest(_ configuration: RESTService.Configuration) -> PostgresStatement? {
    guard let function = configuration.preRequest else { return nil }
    let name = function.split(separator: ".", maxSplits: 1).map { SQLBuilder.quoted(String($0)) }
    let sql = "SELECT \(name.joined(separator: "."))()"
    return PostgresStatement(sql)
  }

  func answer(_ results: [PostgresResult]) -> PostgresResult? {
    results.indices.contains(answerIndex) ? results[answerIndex] : nil
  }

  /// How many rows there are without limit, counted or estimated as was asked; nil when it was not.
  func total(_ results: [PostgresResult], maximumRows: Int?) -> Int? {
    let counted = answer(results)?.string(.total).flatMap { Int($0) }
    guard let estimateIndex, results.indices.contains(estimateIndex) else { return counted }
    let estimated = results[estimateIndex].string(row: 0, column: 0).flatMap(Self.plannedRows)
    guard count == .estimated, let counted else { return estimated }
    // What could be counted is exact; beyond that the estimate is better than the limit.
    guard counted > maximumRows ?? 0 else { return counted }
    return max(counted, estimated ?? counted)
  }

  private static func plannedRows(_ json: String) -> Int? {
    struct Explained: Decodable {
      struct Plan: Decodable {
        var rows: Int
        enum CodingKeys: String, CodingKey { case rows = "Plan Rows" }
      }
      var plan: Plan
      enum CodingKeys: String, CodingKey { case plan = "Plan" }
    }
    return try? JSONDecoder().decode([Explained].self, from: Data(json.utf8)).first?.plan.rows
  }

  private static func isRolledBack(_ request: RESTRequest, _ configuration: RESTService.Configuration) -> Bool {
    switch configuration.transactionEnd {
    case .commit: false
    case .rollback: true
    case .commitAllowingOverride: request.preferences.transaction == .rollback
    case .rollbackAllowingOverride: request.preferences.transaction != .commit
    }
  }

  private static func isolationLevel(_ name: String) -> String? {
    switch name.lowercased() {
    case "serializable": "SERIALIZABLE"
    case "repeatable read": "REPEATABLE READ"
    default: nil
    }
  }
}
