/// A media type as the service tells them apart.
enum MediaType: Equatable, Sendable {
  struct Plan: Equatable, Sendable {
    enum Option: String, CaseIterable, Sendable { case analyze, verbose, settings, buffers, wal }

    var isJSON: Bool
    var options: [Option]
  }

  /// Rows as PostgREST's own types give them.
  case array(stripsNulls: Bool)
  case object(stripsNulls: Bool)
  /// How PostgreSQL would answer a request for another type.
  indirect case plan(Plan, of: MediaType)
  /// Any other type, without parameters, in lower case.
  case other(String)

  static let json = MediaType.other("application/json")
  static let any = MediaType.other("*/*")

  /// Reads one entry of an `Accept` field or a `Content-Type` field.
  init(_ text: some StringProtocol) {
    let parts = text.split(separator: ";").map { String(Substring($0).trimmingSpaces) }
    let name = (parts.first ?? "*/*").lowercased()
    let stripsNulls = parts.dropFirst().contains("nulls=stripped")
    switch name {
    case "application/vnd.pgrst.object", "application/vnd.pgrst.object+json": self = .object(stripsNulls: stripsNulls)
    case "application/vnd.pgrst.array", "application/vnd.pgrst.array+json":
      self = stripsNulls ? .array(stripsNulls: true) : .json
    case "application/vnd.pgrst.plan", "application/vnd.pgrst.plan+text", "application/vnd.pgrst.plan+json":
      func parameter(_ name: String) -> Substring? {
        parts.first { $0.hasPrefix(name + "=") }.map { $0.dropFirst(name.count + 1) }
      }
      let wanted = (parameter("options") ?? "").split(separator: "|").map(String.init)
      let options = Plan.Option.allCases.filter { wanted.contains($0.rawValue) }
      let subject = parameter("for").map { MediaType($0.filter { $0 != "\"" }) } ?? .json
      self = .plan(Plan(isJSON: name.hasSuffix("+json"), options: options), of: subject)
    default: self = .other(name)
    }
  }

  /// The entries of an `Accept` field, best first.
  static func accepted(_ field: String?) -> [MediaType] {
    guard let field, !field.isEmpty else { return [.any] }
    let entries = split(field).enumerated().map { position, entry in
      let quality = entry.split(separator: ";").lazy.map { Substring($0).trimmingSpaces }
        .first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      return (type: MediaType(entry), quality: quality ?? 1, position: position)
    }
    return entries.filter { $0.quality > 0 }
      .sorted { $0.quality == $1.quality ? $0.position < $1.position : $0.quality > $1.quality }
      .map(\.type)
  }

  /// Splits at commas outside of quotes.
  private static func split(_ field: String) -> [Substring] {
    var isQuoted = false
    return field.split { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
  }

  var name: String {
    switch self {
    case .array(let stripsNulls): "application/vnd.pgrst.array+json" + (stripsNulls ? ";nulls=stripped" : "")
    case .object(let stripsNulls): "application/vnd.pgrst.object+json" + (stripsNulls ? ";nulls=stripped" : "")
    case .plan(let plan, let subject):
      "application/vnd.pgrst.plan+\(plan.isJSON ? "json" : "text"); for=\"\(subject.name)\""
        + (plan.options.isEmpty ? "" : "; options=" + plan.options.map(\.rawValue).joined(separator: "|"))
    case .other(let name): name
    }
  }

  /// The value of `Content-Type`; text types say how their letters are coded.
  var contentType: String {
    guard case .other(let name) = self else { return self.name + "; charset=utf-8" }
    return Self.texts.contains(name) ? name + "; charset=utf-8" : name
  }

  private static let texts: Set<String> = [
    "application/json", "application/geo+json", "text/csv", "text/plain", "text/xml", "application/openapi+json",
    "application/x-www-form-urlencoded",
  ]
}
