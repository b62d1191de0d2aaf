internal import SwiftwaterPostgres

/// One SQL statement that does what a request asks and whose single row is the answer.
///
/// Its columns are `body` (JSON text, null when none is wanted), `page` (rows in the body or touched), `total` (rows
/// without limit, null when not counted) and `location` (names and values of the new row's key as a JSON array, null unless
/// asked for). PostgreSQL builds
/// the JSON; its bytes pass through.
struct Plan {
  let statement: PostgresStatement

  /// Longer texts hardly repeat, and PostgreSQL would keep some megabytes for each on every connection.
  private static let maximumPreparedBytes = 4096

  /// - Parameter relation: its signature becomes part of the text, because a prepared statement keeps the types of its
  ///   parameters although the columns that they come from have changed theirs.
  private init(_ builder: SQLBuilder, _ relation: Relation) {
    statement = PostgresStatement(
      "\(builder.text) /* \(relation.signature) */", builder.parameters,
      isPrepared: builder.text.utf8.count <= Self.maximumPreparedBytes)
  }

  /// Plans what the request asks; the payload is there when it inserts or updates.
  init(_ request: RESTRequest, _ payload: Payload?, _ relation: Relation) throws(RESTError) {
    switch (request.action, payload) {
    case (.insert, let payload?): self = try .insert(request, payload, relation)
    case (.update, let payload?): self = try .update(request, payload, relation)
    case (.insert, nil), (.update, nil): throw .invalidBody("Empty or invalid json")
    case (.delete, _): self = .delete(request, relation)
    case (.read, _): self = .read(request, relation)
    }
  }

  /// Reads rows.
  private static func read(_ request: RESTRequest, _ relation: Relation) -> Plan {
    var builder = SQLBuilder()
    builder.sql("SELECT \(SQLBuilder.rowsAsJSON) AS body, count(*) AS page, ")
    if request.preferences.count == .exact {
      builder.sql("(SELECT count(*) FROM ")
      builder.relation(relation)
      builder.whereClause(request.filters, of: relation)
      builder.sql(")")
    } else {
      builder.sql("null")
    }
    builder.sql(" AS total, null AS location FROM (SELECT ")
    builder.selectList(request.select, of: relation)
    builder.sql(" FROM ")
    builder.relation(relation)
    builder.whereClause(request.filters, of: relation)
    builder.orderClause(request.order, of: relation)
    builder.limitClause(request.range)
    builder.sql(") swiftwater_row")
    return Plan(builder, relation)
  }

  /// Inserts the payload's rows.
  private static func insert(
    _ request: RESTRequest, _ payload: Payload, _ relation: Relation
  ) throws(RESTError) -> Plan {
    let columns = try columns(of: payload, in: relation)
    var builder = SQLBuilder()
    builder.sql("WITH swiftwater_source AS (INSERT INTO ")
    builder.relation(relation)
    if !columns.isEmpty {
      builder.sql(" (")
      builder.list(columns) { $0.identifier($1.name) }
      builder.sql(")")
    }
    builder.sql(" SELECT ")
    builder.list(columns) { $0.identifier($1.name) }
    builder.records(payload, columns)
    builder.returning(request, relation)
    builder.answer(request, relation, isInsertion: true)
    return Plan(builder, relation)
  }

  /// Changes the rows that the filters let through.
  private static func update(
    _ request: RESTRequest, _ payload: Payload, _ relation: Relation
  ) throws(RESTError) -> Plan {
    let columns = try columns(of: payload, in: relation)
    var builder = SQLBuilder()
    guard !columns.isEmpty else {
      let body = request.preferences.returning == .representation ? "'[]'" : "null"
      builder.sql("SELECT \(body) AS body, 0 AS page, null AS total, null AS location")
      return Plan(builder, relation)
    }
    builder.sql("WITH swiftwater_source AS (UPDATE ")
    builder.relation(relation)
    builder.sql(" SET ")
    builder.list(columns) { builder, column in
      builder.identifier(column.name)
      builder.sql(" = swiftwater_payload.")
      builder.identifier(column.name)
    }
    builder.sql(" FROM (SELECT ")
    builder.list(columns) { $0.identifier($1.name) }
    builder.records(payload, columns)
    builder.sql(" LIMIT 1) AS swiftwater_payload")
    builder.whereClause(request.filters, of: relation)
    builder.returning(request, relation)
    builder.answer(request, relation, isInsertion: false)
    return Plan(builder, relation)
  }

  /// Removes the rows that the filters let through.
  private static func delete(_ request: RESTRequest, _ relation: Relation) -> Plan {
    var builder = SQLBuilder()
    builder.sql("WITH swiftwater_source AS (DELETE FROM ")
    builder.relation(relation)
    builder.whereClause(request.filters, of: relation)
    builder.returning(request, relation)
    builder.answer(request, relation, isInsertion: false)
    return Plan(builder, relation)
  }

  private static func columns(of payload: Payload, in relation: Relation) throws(RESTError) -> [Relation.Column] {
    var columns: [Relation.Column] = []
    for key in payload.keys {
      guard let column = relation.column(key) else { throw .unknownColumn(key, of: relation.name) }
      columns.append(column)
    }
    return columns
  }
}

extension RESTRequest {
  /// Whether the rows of the answer have any columns.
  fileprivate func returnsColumns(of relation: Relation) -> Bool {
    select.contains { $0 != .all || !relation.columns.isEmpty }
  }
}

extension SQLBuilder {
  // With the star the alias is the whole row even where a column has the same name.
  fileprivate static let rowsAsJSON = "coalesce(json_agg(swiftwater_row.*), '[]')::text"

  /// `FROM` the payload as typed records; nothing but the number of rows when it names no column.
  fileprivate mutating func records(_ payload: Payload, _ columns: [Relation.Column]) {
    let isArray = payload.json.first { !$0.isWhitespace } == "["
    sql(columns.isEmpty ? " FROM json_array_elements(" : " FROM json_to_recordset(")
    if !isArray { sql("json_build_array(") }
    bind(payload.json)
    sql(isArray ? "::json)" : "::json))")
    sql(" AS swiftwater_record")
    guard !columns.isEmpty else { return }
    sql("(")
    list(columns) { builder, column in
      builder.identifier(column.name)
      builder.sql(" \(column.type)")
    }
    sql(")")
  }

  /// Closes the change with what of its rows is needed afterwards, so that no privilege is asked for in vain.
  fileprivate mutating func returning(_ request: RESTRequest, _ relation: Relation) {
    sql(" RETURNING ")
    let keys = relation.columns.filter(\.isPrimaryKey)
    switch request.preferences.returning {
    case .representation where request.returnsColumns(of: relation): selectList(request.select, of: relation)
    case .headersOnly where !keys.isEmpty: list(keys) { $0.column($1.name, of: relation) }
    default: sql("1")
    }
    sql(")")
  }

  fileprivate mutating func answer(_ request: RESTRequest, _ relation: Relation, isInsertion: Bool) {
    let isRepresentation = request.preferences.returning == .representation
    sql(" SELECT ")
    if !isRepresentation {
      sql("null")
    } else if request.returnsColumns(of: relation) {
      sql(Self.rowsAsJSON)
    } else {
      // `RETURNING` must name something, so there is something in each row that nobody asked for.
      sql("coalesce(json_agg('{}'::json), '[]')::text")
    }
    sql(" AS body, count(*) AS page, ")
    sql(request.preferences.count == .exact ? "count(*)" : "null")
    sql(" AS total, ")
    let keys = relation.columns.filter(\.isPrimaryKey)
    if isInsertion, request.preferences.returning == .headersOnly, !keys.isEmpty {
      sql("CASE WHEN count(*) = 1 THEN json_build_array(")
      list(keys) { builder, key in
        builder.bind(key.name)
        builder.sql("::text, min(")
        builder.identifier(key.name)
        builder.sql("::text)")
      }
      sql(")::text END")
    } else {
      sql("null")
    }
    sql(" AS location FROM (SELECT * FROM swiftwater_source) swiftwater_row")
  }
}
