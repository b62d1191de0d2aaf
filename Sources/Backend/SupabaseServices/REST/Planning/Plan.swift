internal import SwiftwaterPostgres

/// One SQL statement that does what a request asks and whose single row is the answer.
///
/// PostgreSQL builds the body; its bytes pass through. What makes an answer impossible although all went well, such as
/// two rows where one object is wanted, fails the statement, so that its transaction is rolled back with it.
struct Plan: Sendable {
  /// The columns of the answer.
  enum Column: Int {
    /// null when none is wanted.
    case body
    /// Rows in the body or touched.
    case page
    /// Rows without limit; null when not counted.
    case total
    /// Names and values of the only new row's key as a JSON array; null unless asked for.
    case location
    /// What functions have set for the answer's head.
    case fields, status
    /// How many rows were inserted and not updated; null where that makes no difference.
    case inserted
    /// The bytes of the whole body, of an answer in parts.
    case length
  }

  var statement: PostgresStatement
  /// Estimates how many rows there are without limit.
  var estimate: PostgresStatement?
  var negotiation: Negotiation
  /// Whether the answer has a row for each part of the body.
  var isInParts = false
  /// Whether it finds one row of a table by its key, which takes PostgreSQL no time.
  var isBrief = false
  /// Experience with it, where it is kept for later requests.
  var brevity: Brevity?
  /// Whether it must not change anything.
  var isReadOnly = false
  /// The function that is called.
  var routine: Routine?
  /// The relation whose columns' types are written into the statement.
  var typedRelation: Relation?
  /// Whether rows that are there already are merged or left, so that the preference was heeded.
  var hasConflictTarget = false

  /// The bytes of a part of the body.
  static let partBytes = 65_536

  /// Longer texts hardly repeat, and PostgreSQL would keep some megabytes for each on every connection.
  private static let maximumPreparedBytes = 4096
}

extension Plan {
  init(
    _ request: RESTRequest, _ payload: Payload?, _ catalog: Catalog
  ) throws(RESTError) {
    let planner = ReadPlanner(request, catalog)
    var builder = SQLBuilder()
    switch request.target {
    case .root: throw .invalidPath
    case .relation(let name):
      let relation = try catalog.relation(QualifiedName(request.schema, name))
      let isRead = request.action == .read
      let node = try planner.plan(relation.qualifiedName, from: isRead ? .relation : .changedRows)
      negotiation = try Negotiation(request, target: relation.qualifiedName, node, catalog)
      try Self.check(request)
      isReadOnly = isRead
      if isRead {
        estimate = Self.estimate(request, node)
        // An estimate would come behind the body, and the answer's head needs it before.
        isInParts = estimate == nil && negotiation.isList && node.mayBeLong
        isBrief = estimate == nil && node.isOneRow && negotiation.isPlain
        if isInParts {
          builder.readParts(node, answering: request, negotiation, maximumRows: catalog.configuration.maximumRows)
        } else {
          builder.read(node, answering: request, negotiation, maximumRows: catalog.configuration.maximumRows)
        }
      } else {
        let mutation = try MutationPlan(request, payload, relation, answer: node, catalog)
        builder.change(request, mutation, node, negotiation)
        if !mutation.columns.isEmpty || !mutation.conditions.isEmpty { typedRelation = relation }
        hasConflictTarget = mutation.conflict.map { !$0.columns.isEmpty } ?? false
      }
    case .function(let name):
      var call = try CallPlan(request, payload, name: name, catalog)
      let node = try planner.plan(call.routine.rowsOf, from: .changedRows)
      if call.routine.returnsComposite { call.computedColumns = catalog.computedColumns(of: node) }
      negotiation = try Negotiation(request, target: call.routine.rowsOf, node, catalog)
      try Self.check(request)
      if request.preferences.handling == .strict, request.preferences.maximumAffected != nil, !call.routine.returnsSet {
        throw .maximumAffectedOfSingle
      }
      isReadOnly = request.action == .read || call.routine.volatility != .volatile
      routine = call.routine
      builder.call(request, call, node, negotiation, maximumRows: catalog.configuration.maximumRows)
    }
    statement = Self.statement(builder, negotiation, catalog)
    statement.wantsBinary = isInParts
  }

  private static func check(_ request: RESTRequest) throws(RESTError) {
    if request.preferences.handling == .strict, !request.preferences.unknown.isEmpty {
      throw .invalidPreferences(request.preferences.unknown)
    }
  }

  private static func statement(
    _ builder: SQLBuilder, _ negotiation: Negotiation, _ catalog: Catalog
  ) -> PostgresStatement {
    if case .plan(let plan, _) = negotiation.mediaType {
      let options = [plan.isJSON ? "FORMAT JSON" : "FORMAT TEXT"] + plan.options.map { $0.rawValue.uppercased() }
      return PostgresStatement(
        "EXPLAIN (\(options.joined(separator: ", "))) \(builder.text)", builder.parameters, isPrepared: false)
    }
    // The version becomes part of the text, because a prepared statement keeps the types of its parameters although the
    // columns that they come from have changed theirs.
    let text = builder.text + " /* " + catalog.version + " */"
    return PostgresStatement(
      text, builder.parameters,
      isPrepared: catalog.configuration.preparesStatements && text.utf8.count <= maximumPreparedBytes)
  }

  private static func estimate(_ request: RESTRequest, _ node: ReadNode) -> PostgresStatement? {
    guard request.preferences.count == .planned || request.preferences.count == .estimated else { return nil }
    var builder = SQLBuilder()
    builder.sql("EXPLAIN (FORMAT JSON) ")
    builder.count(node)
    return PostgresStatement(builder.text, builder.parameters, isPrepared: false)
  }
}

extension Negotiation {
  fileprivate init(
    _ request: RESTRequest, target: QualifiedName, _ node: ReadNode, _ catalog: Catalog
  ) throws(RESTError) {
    try self.init(request, target: target, hasDefaultSelect: request.selectsWholeRows, catalog)
  }
}

extension ReadNode {
  /// Whether there may be more rows than a few, so that it pays to pass them on in parts.
  fileprivate var mayBeLong: Bool {
    if let limit = range.limit, limit <= 100 { return false }
    return !isByKey
  }

  /// Whether it is columns of a table's one row that are asked for, so that nothing has to be looked for or worked out.
  fileprivate var isOneRow: Bool {
    guard let known, !known.isView, isByKey, children.isEmpty else { return false }
    return columns.allSatisfy { $0.field.isStar || $0.representation == nil && known.column($0.field.path.name) != nil }
      && conditions.allSatisfy { condition in
        guard case .filter(let filter, nil, _, _) = condition else { return false }
        return known.column(filter.path.name) != nil
      }
  }

  private var isByKey: Bool {
    guard let key = known?.primaryKey, !key.isEmpty else { return false }
    return key.allSatisfy { name in conditions.contains { $0.isEquality(of: name) } }
  }
}

extension ReadNode.Condition {
  fileprivate func isEquality(of column: String) -> Bool {
    guard case .filter(let filter, _, _, _) = self, case .comparison(.equal, nil, _) = filter.condition else {
      return false
    }
    return !filter.isNegated && filter.path.steps.isEmpty && filter.path.name == column
  }
}

extension Catalog {
  func relation(_ name: QualifiedName) throws(RESTError) -> Relation {
    if let relation = relations[name] { return relation }
    let names = relations.keys.filter { $0.schema == name.schema }.map(\.name).sorted()
    // A longer name was not meant for one: PostgreSQL would cut it.
    let isPossible = name.name.utf8.count <= 63
    throw .unknownRelation(
      schema: name.schema, name: name.name,
      suggestion: isPossible
        ? Suggestion.best(name.name, among: names, minimumScore: Suggestion.nameScore) : nil)
  }
}
