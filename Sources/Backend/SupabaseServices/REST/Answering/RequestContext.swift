internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// The settings of a request's transaction: its role and claims, and what functions may ask about the request.
struct RequestContext {
  var request: RESTRequest
  var head: HTTPRequest
  var caller: RESTCaller
  var isReadOnly: Bool
  /// The function that is called, whose own settings count.
  var routine: Routine?
  var roleSettings: [Routine.Setting]
  var configuration: RESTService.Configuration

  var statement: PostgresStatement {
    var builder = SQLBuilder()
    // In the order in which they stand; a number comes back instead of all the values.
    builder.sql("SELECT cardinality(ARRAY[")
    set("search_path", searchPath, &builder, isFirst: true)
    if isReadOnly { set("transaction_read_only", "on", &builder) }
    // Before the role, which need not be allowed to.
    for setting in roleSettings { setNamed(setting, &builder) }
    set("role", caller.role, &builder)
    set("request.jwt.claims", caller.claims ?? Self.claims(role: caller.role), &builder)
    set("request.method", head.method.rawValue, &builder)
    set("request.path", request.path, &builder)
    set("request.headers", headers, &builder)
    set("request.cookies", cookies, &builder)
    if let timeZone = request.preferences.timeZone { set("timezone", timeZone, &builder) }
    for setting in routine?.settings ?? [] { setNamed(setting, &builder) }
    for (name, value) in configuration.settings { setNamed(.init(name: name, value: value), &builder) }
    builder.sql("])")
    return PostgresStatement(builder.text, builder.parameters, isPrepared: configuration.preparesStatements)
  }

  private var searchPath: String {
    var path = SQLBuilder.quoted(request.schema)
    for schema in configuration.extraSearchPath { path += ", " + SQLBuilder.quoted(schema) }
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
    values.reserveCapacity(head.headerFields.count)
    for field in head.headerFields where field.name != .cookie {
      let name = field.name.canonicalName
      values.removeAll { $0.name == name }
      values.append((name, field.value))
    }
    var writer = JSONWriter()
    writer.object(values)
    return writer.text
  }

  private var cookies: String {
    let pairs = head.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
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
