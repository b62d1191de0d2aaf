internal import SwiftwaterHTTP
internal import SwiftwaterPostgres
internal import SwiftwaterStreams

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
    let ofRole = catalog.roleSettings[caller.role] ?? []
    let further =
      (routine?.settings ?? []) + catalog.configuration.settings.map { .init(name: $0.name, value: $0.value) }
    let form = Form(
      isReadOnly: isReadOnly, roleSettings: ofRole.count, hasTimeZone: timeZone != nil, further: further.count)
    var values: [String] = []
    values.reserveCapacity(8 + 2 * (ofRole.count + further.count))
    values.append(catalog.searchPaths[schema] ?? "")
    for setting in ofRole { values += [setting.name, setting.value] }
    values.append(caller.role)
    values.append(caller.claims ?? Self.claims(role: caller.role))
    values.append(method)
    values.append(path)
    values.append(headers)
    values.append(cookies)
    if let timeZone { values.append(timeZone) }
    for setting in further { values += [setting.name, setting.value] }
    return PostgresStatement(
      catalog.contexts.withLock { $0.text(of: form) }, values.map { .text($0) },
      isPrepared: catalog.configuration.preparesStatements)
  }

  /// What the statement's text depends on.
  struct Form: Hashable {
    var isReadOnly: Bool
    var roleSettings: Int
    var hasTimeZone: Bool
    var further: Int

    /// The settings in the order in which they are made. A number comes back instead of all the values.
    fileprivate var text: String {
      var count = 0
      func next() -> String {
        count += 1
        return "$\(count)"
      }
      func set(_ name: String, _ value: String? = nil) -> String {
        "set_config('\(name)', \(value ?? next()), true)"
      }
      func setNamed(_ number: Int) -> [String] {
        (0..<number).map { _ in "set_config(\(next()), \(next()), true)" }
      }
      var calls = [set("search_path")]
      if isReadOnly { calls.append(set("transaction_read_only", "'on'")) }
      // Before the role, which need not be allowed to.
      calls += setNamed(roleSettings)
      calls += [
        set("role"), set("request.jwt.claims"), set("request.method"), set("request.path"), set("request.headers"),
        set("request.cookies"),
      ]
      if hasTimeZone { calls.append(set("timezone")) }
      calls += setNamed(further)
      return "SELECT cardinality(ARRAY[" + calls.joined(separator: ", ") + "])"
    }
  }

  /// The texts that have been needed; there are few, since settings come from the database's definition.
  struct Texts {
    private var texts: [Form: String] = [:]

    fileprivate mutating func text(of form: Form) -> String {
      if let text = texts[form] { return text }
      texts[form] = form.text
      return form.text
    }
  }

  private static func claims(role: String) -> String {
    var writer = JSONWriter()
    writer.object([(name: "role", value: role)])
    return writer.text
  }

  /// One member a name, in lower case; the last field of a name counts.
  private var headers: String {
    var writer = JSONWriter()
    // There may be thousands, so each is looked at once.
    var last = [String: Int](minimumCapacity: fields.count)
    for (index, field) in fields.enumerated() { last[field.name.canonicalName] = index }
    writer.object { member in
      for (index, field) in fields.enumerated() where field.name != .cookie {
        if last[field.name.canonicalName] == index { member(field.name.canonicalName, field.value) }
      }
    }
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
