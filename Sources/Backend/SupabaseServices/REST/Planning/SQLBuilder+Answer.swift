/// The outermost query: it makes one row of the rows that a request reads, changes or calls for.
extension SQLBuilder {
  private static let row = "swiftwater_row"
  private static let rows = "swiftwater_rows"
  // With the star the alias is the whole row even where a column has the same name.
  private static let wholeRow = "\(row).*"
  private static let scalarValue = "\(row).\(scalar)"

  /// Stands before the code and the number of rows in the error that a refusal makes.
  static let refusal = "swiftwater.refused"

  /// The answer in rows of a part of the body each, for those who pass it on piece by piece. All columns are text or
  /// bytes, so that they can come in binary form.
  mutating func readParts(
    _ node: ReadNode, answering request: RESTRequest, _ negotiation: Negotiation, maximumRows: Int?
  ) {
    let size = Plan.partBytes
    sql(
      "SELECT substring(body FROM \(size) * part + 1 FOR \(size)) AS body, page::text, total::text, location, fields,")
    sql(" status, inserted, octet_length(body)::text AS length FROM (")
    read(node, answering: request, negotiation, maximumRows: maximumRows, asBytes: true)
    sql(") swiftwater_answer, generate_series(0, (octet_length(body) - 1) / \(size)) part")
  }

  mutating func read(
    _ node: ReadNode, answering request: RESTRequest, _ negotiation: Negotiation, maximumRows: Int?,
    asBytes: Bool = false
  ) {
    if negotiation.body == .csv { namedRows(node, keyword: "WITH") }
    // The bytes of a text are found at once, its letters by counting.
    sql(asBytes ? "SELECT convert_to(" : "SELECT ")
    body(negotiation.body, routine: nil)
    if asBytes { sql(", 'UTF8')") }
    sql(" AS body, count(*) AS page, ")
    total(node, request, maximumRows: maximumRows)
    sql(" AS total, null AS location, ")
    settings()
    sql(", null AS inserted")
    refuse(unlessSingular: negotiation, page: "count(*)")
    from(node, negotiation)
  }

  mutating func change(
    _ request: RESTRequest, _ mutation: MutationPlan, _ node: ReadNode, _ negotiation: Negotiation
  ) {
    sql("WITH \(Self.changedRows) AS (")
    switch request.action {
    case .insert, .put: insert(mutation)
    case .update: update(mutation)
    case .delete: delete(mutation)
    case .read, .call, .options: break
    }
    sql(")")
    if negotiation.body == .csv { namedRows(node, keyword: ",") }
    sql(" SELECT ")
    body(negotiation.body, routine: nil)
    sql(" AS body, count(*) AS page, null AS total, ")
    location(request, mutation)
    sql(" AS location, ")
    settings()
    let isMerged = mutation.conflict?.resolution == .mergeDuplicates
    sql(", \(isMerged ? Self.insertedCount : "null") AS inserted")
    if request.action == .put {
      refuse("PGRST115", when: "count(*) <> 1", rows: "count(*)")
    } else {
      refuse(unlessSingular: negotiation, page: "count(*)")
    }
    if request.action != .insert { refuse(moreThanWanted: request, page: "count(*)") }
    if negotiation.body == .none {
      sql(" FROM (SELECT * FROM \(Self.changedRows)) \(Self.row)")
    } else {
      from(node, negotiation)
    }
  }

  mutating func call(
    _ request: RESTRequest, _ plan: CallPlan, _ node: ReadNode, _ negotiation: Negotiation, maximumRows: Int?
  ) {
    let page = plan.routine.returnsSet ? "count(*)" : "1"
    sql("WITH \(Self.changedRows) AS (")
    call(plan)
    sql(")")
    if negotiation.body == .csv { namedRows(node, keyword: ",") }
    sql(" SELECT ")
    body(negotiation.body, routine: plan.routine)
    sql(" AS body, \(page) AS page, ")
    total(node, request, maximumRows: maximumRows)
    sql(" AS total, null AS location, ")
    settings()
    sql(", null AS inserted")
    refuse(unlessSingular: negotiation, page: page)
    refuse(moreThanWanted: request, page: page)
    from(node, negotiation)
  }

  /// The rows under a name, for an answer that reads them twice.
  private mutating func namedRows(_ node: ReadNode, keyword: String) {
    sql("\(keyword) \(Self.rows) AS (")
    read(node)
    sql(") ")
  }

  private mutating func from(_ node: ReadNode, _ negotiation: Negotiation) {
    sql(" FROM (")
    if negotiation.body == .csv { sql("SELECT * FROM \(Self.rows)") } else { read(node) }
    sql(") \(Self.row)")
  }

  // MARK: Columns of the answer

  private mutating func body(_ body: Negotiation.Body, routine: Routine?) {
    let isScalar = routine.map { !$0.returnsComposite } ?? false
    let value = isScalar ? Self.scalarValue : Self.wholeRow
    switch body {
    case .none: sql("null::text")
    case .array(let stripsNulls) where routine?.returnsSet ?? true:
      sql("coalesce(")
      rows(of: value, stripsNulls: stripsNulls)
      sql(", '[]')::text")
    case .array(let stripsNulls), .object(let stripsNulls):
      sql("coalesce(")
      rows(of: value, stripsNulls: stripsNulls)
      sql("->0, 'null')::text")
    case .csv:
      sql("(SELECT coalesce(string_agg(name, ','), '') FROM (SELECT json_object_keys(row_to_json(first)) AS name ")
      sql("FROM (SELECT * FROM \(Self.rows) LIMIT 1) first) names)")
      sql(
        " || E'\\n' || coalesce(string_agg(substring(\(Self.row)::text, 2, length(\(Self.row)::text) - 2), E'\\n'), '')"
      )
    case .geoJSON:
      sql("json_build_object('type', 'FeatureCollection', 'features', ")
      sql("coalesce(json_agg(ST_AsGeoJSON(\(Self.wholeRow))::json), '[]'))::text")
    case .custom(let function, let type, _):
      name(function)
      if isScalar {
        sql("(\(value))")
      } else {
        sql("(\(Self.row)")
        if let type { sql("::\(Self.quoted(type))") }
        sql(")")
      }
    }
  }

  private mutating func rows(of value: String, stripsNulls: Bool) {
    sql(stripsNulls ? "json_strip_nulls(json_agg(" : "json_agg(")
    sql(value)
    sql(stripsNulls ? "))" : ")")
  }

  private mutating func total(_ node: ReadNode, _ request: RESTRequest, maximumRows: Int?) {
    let count = request.preferences.count
    guard count == .exact || count == .estimated else { return sql("null") }
    sql("(SELECT count(*) FROM (")
    self.count(node)
    // One more than can be shown is enough to know that the estimate is to be preferred.
    if count == .estimated, let maximumRows { sql(" LIMIT \(maximumRows + 1)") }
    sql(") swiftwater_total)")
  }

  private mutating func settings() {
    sql("nullif(current_setting('response.headers', true), '') AS fields, ")
    sql("nullif(current_setting('response.status', true), '') AS status")
  }

  private mutating func location(_ request: RESTRequest, _ mutation: MutationPlan) {
    // In the order of the relation's columns, whichever order the key has them in.
    let key = mutation.relation.columns.map(\.name).filter(mutation.relation.primaryKey.contains)
    guard request.action == .insert, request.preferences.returning == .headersOnly, !key.isEmpty else {
      return sql("null")
    }
    sql("CASE WHEN count(*) = 1 THEN json_build_array(")
    list(key) { builder, name in
      builder.bind(name)
      builder.sql("::text, min(\(Self.quoted(name))::text)")
    }
    sql(")::text END")
  }

  // MARK: Refusals

  private mutating func refuse(unlessSingular negotiation: Negotiation, page: String) {
    var type = negotiation.mediaType
    if case .plan = type { return }
    if case .plan(_, let subject) = type { type = subject }
    guard case .object = type else { return }
    refuse("PGRST116", when: "\(page) <> 1", rows: page)
  }

  private mutating func refuse(moreThanWanted request: RESTRequest, page: String) {
    guard request.preferences.handling == .strict, let maximum = request.preferences.maximumAffected else { return }
    refuse("PGRST124", when: "\(page) > \(maximum)", rows: page)
  }

  /// Fails the statement with a text that is no number.
  private mutating func refuse(_ code: String, when condition: String, rows: String) {
    sql(", CASE WHEN \(condition) THEN ('\(Self.refusal) \(code) ' || \(rows))::int END")
  }
}
