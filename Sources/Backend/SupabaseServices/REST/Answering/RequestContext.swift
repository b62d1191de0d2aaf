internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// The settings of a request's transaction: its role and claims, and what functions may ask about the request.
struct RequestContext {
  private let schema: String
  private let path: String
  private let timeZone: String?
  private let method: String
  private let fields: HTTPFields
  private let caller: RESTCaller
  private let isReadOnly: Bool
  /// The function that is called, whose own settings count.
  private let routine: Routine?
  private let catalog: Catalog

  init(
    _ request: RESTRequest, head: HTTPRequest, caller: RESTCaller, isReadOnly: Bool, routine: Routine? = nil,
    _ catalog: Catalog
  ) {
    (schema, path, timeZone) = (request.schema, request.path, request.preferences.timeZone)
    (method, fields) = (head.method.rawValue, head.headerFields)
    self.caller = caller
    self.isReadOnly = isReadOnly
    self.routine = routine
    self.catalog = catalog
  }

  var statement: PostgresStatement {
    var builder = SQLBuilder()
    // In the order in which they stand; a number comes back instead of all the values.
    builder.sql("SELECT cardinality(ARRAY[")
    set("search_path", searchPath, &builder, isFirst: true)
    if isReadOnly { set("transaction_read_only", "on", &builder) }
    // Before the role, which need not be allowed to.
    for setting in catalog.roleSettings[caller.role] ?? [] { setNamed(setting, &builder) }
    set("role", caller.role, &builder)
    set("request.jwt.claims", caller.claims ?? Self.claims(role: caller.role), &builder)
    set("request.method", method, &builder)
    set("request.path", path, &builder)
    set("request.headers", headers, &builder)
    set("request.cookies", cookies, &builder)
    if let timeZone { set("timezone", timeZone, &builder) }
    for setting in routine?.settings ?? [] { setNamed(setting, &builder) }
    for (name, value) in catalog.configuration.settings { setNamed(.init(name: name, value: value), &builder) }
    builder.sql("])")
    return PostgresStatement(builder.text, builder.parameters, isPrepared: catalog.configuration.preparesStatements)
  }

  private var searchPath: String {
    var path = SQLBuilder.quoted(schema)
    for schema in catalog.configuration.extraSearchPath {
      path += ", "
      path += SQLBuilder.quoted(schema)
    }
    return path
  }

  private func set(_ name: String, _ value: String, _ builder: inout SQLBuilder, isFirst: Bool = false) {
    builder.sql(isFirst ? "set_config('" : ", set_config('")
    builder.sql(name)
    builder.sql("', ")
    builder.bind(value)
    builder.sql(", true)")
  }

  private func setNamed(_ setting: Routine.Setting, _ builder: inout SQLBuilder) {
    builder.sql(", set_config(")
    builder.bind(setting.name)
    builder.sql(", ")
    builder.bind(setting.value)
    builder.sql(", true)")
  }

  private static func claims(role: String) -> String {
    var writer = JSONWriter()
    writer.object([(name: "role", value: role)])
    return writer.text
  }

  /// One member a name, in lower case; the last field of a name counts.
  private var headers: String {
    var values: [(name: String, value: String)] = []
    values.reserveCapacity(fields.count)
    for field in fields where field.name != .cookie {
      let name = field.name.canonicalName
      values.removeAll { $0.name == name }
      values.append((name, field.value))
    }
    var writer = JSONWriter()
    writer.object(values)
    return writer.text
  }

  private var cookies: String {
    let pairs = fields[values: .cookie].flatMap { $0.split(separator: ";") }
    guard !pairs.isEmpty else { return "{}" }
    var writer = JSONWriter()
    writer.object(
      pairs.map { pair in
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (
          name: String(sides[0].trimmingSpaces), value: sides.count > 1 ? String(sides[1].trimmingSpaces) : ""
        )
      })
    return writer.text
  }
}
