/// Statements that change rows.
extension SQLBuilder {
  private static let payload = "swiftwater_payload"

  /// `INSERT`, with what happens to rows that are there already.
  mutating func insert(_ plan: MutationPlan) {
    sql("INSERT INTO ")
    name(plan.relation.qualifiedName)
    if !plan.columns.isEmpty {
      sql(" (")
      list(plan.columns) { $0.identifier($1.name) }
      sql(")")
    }
    sql(" SELECT ")
    list(plan.columns) { $0.sql("\(Self.payload).\(Self.quoted($1.name))") }
    records(plan)
    let isCounted = plan.conflict?.resolution == .mergeDuplicates
    if isCounted {
      sql(" WHERE ")
      countInserted(by: "+ 1", unless: "0")
    }
    if !plan.conditions.isEmpty {
      sql(isCounted ? " AND " : " WHERE ")
      conditions(plan.conditions, of: Self.payload)
    }
    if let conflict = plan.conflict, !conflict.columns.isEmpty {
      sql(" ON CONFLICT (")
      list(conflict.columns) { $0.identifier($1) }
      sql(")")
      if conflict.resolution == .ignoreDuplicates || plan.columns.isEmpty {
        sql(" DO NOTHING")
      } else {
        sql(" DO UPDATE SET ")
        list(plan.columns) { $0.sql("\(Self.quoted($1.name)) = EXCLUDED.\(Self.quoted($1.name))") }
        sql(" WHERE ")
        countInserted(by: "- 1", unless: "-1")
      }
    }
    returning(plan)
  }

  /// `UPDATE`
  mutating func update(_ plan: MutationPlan) {
    guard !plan.columns.isEmpty else { return unchanged(plan) }
    sql("UPDATE ")
    name(plan.relation.qualifiedName)
    sql(" SET ")
    list(plan.columns) { $0.sql("\(Self.quoted($1.name)) = \(Self.payload).\(Self.quoted($1.name))") }
    sql(" FROM (SELECT *")
    records(plan)
    sql(" LIMIT 1) AS \(Self.payload)")
    whereClause(plan)
    returning(plan)
  }

  /// `DELETE`
  mutating func delete(_ plan: MutationPlan) {
    sql("DELETE FROM ")
    name(plan.relation.qualifiedName)
    whereClause(plan)
    returning(plan)
  }

  /// What counts the rows that were inserted and not updated, whatever kind of relation it is.
  static let insertedCount = "nullif(current_setting('swiftwater.inserted', true), '')::int"

  private mutating func countInserted(by step: String, unless impossible: String) {
    sql(
      "set_config('swiftwater.inserted', (coalesce(\(Self.insertedCount), 0) \(step))::text, true) <> '\(impossible)'")
  }

  /// No rows, but with the columns that the answer is made of.
  private mutating func unchanged(_ plan: MutationPlan) {
    sql("SELECT ")
    returnedColumns(plan)
    sql(" FROM ")
    name(plan.relation.qualifiedName)
    sql(" WHERE false")
  }

  private mutating func whereClause(_ plan: MutationPlan) {
    guard !plan.conditions.isEmpty else { return }
    sql(" WHERE ")
    conditions(plan.conditions, of: Self.quoted(plan.relation.qualifiedName))
  }

  private mutating func returning(_ plan: MutationPlan) {
    sql(" RETURNING ")
    returnedColumns(plan)
  }

  private mutating func returnedColumns(_ plan: MutationPlan) {
    let relation = Self.quoted(plan.relation.qualifiedName)
    if plan.returned.isEmpty || plan.relation.columns.isEmpty { return sql("1") }
    list(plan.returned) { $0.sql("\(relation).\($1 == "*" ? "*" : Self.quoted($1))") }
  }

  /// `FROM` the payload as typed records; nothing but the number of rows when it names no column.
  private mutating func records(_ plan: MutationPlan) {
    let kind = plan.appliesDefaults ? "jsonb" : "json"
    let isTyped = !plan.columns.isEmpty
    sql(isTyped ? " FROM (SELECT " : " FROM ")
    if isTyped {
      list(plan.columns) { builder, column in
        if let representation = column.representation { builder.sql("\(representation)(") }
        builder.identifier(column.name)
        if column.representation != nil { builder.sql(") AS \(Self.quoted(column.name))") }
      }
      sql(" FROM ")
    }
    sql(isTyped ? "\(kind)_to_recordset(" : "\(kind)_array_elements(")
    if plan.appliesDefaults {
      sql("(SELECT jsonb_agg(jsonb_build_object(")
      list(plan.columns.filter { $0.defaultValue != nil }) { builder, column in
        builder.bind(column.name)
        builder.sql("::text, \(column.defaultValue ?? "null")")
      }
      sql(") || element) FROM jsonb_array_elements(")
    }
    if !plan.isArray { sql("\(kind)_build_array(") }
    bind(plan.json)
    sql("::\(kind)")
    if !plan.isArray { sql(")") }
    if plan.appliesDefaults { sql(") element)") }
    sql(") AS swiftwater_record")
    guard isTyped else { return }
    sql("(")
    list(plan.columns) { builder, column in
      builder.identifier(column.name)
      builder.sql(" \(column.type)")
    }
    sql(")) AS \(Self.payload)")
  }
}
