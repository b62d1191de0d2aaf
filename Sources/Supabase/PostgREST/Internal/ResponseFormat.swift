/// How an answer is to look, as the `Accept` field says it.
struct ResponseFormat: Sendable {
  enum Shape { case rows, single, csv, geoJSON }

  struct Plan: Sendable {
    var format: ExplainFormat
    var options: [String]
  }

  var shape = Shape.rows
  var stripsNulls = false
  var plan: Plan?

  /// Whether nothing has been asked for, so that the configuration may.
  var isPlain: Bool { shape == .rows && !stripsNulls && plan == nil }

  var mediaType: String {
    guard let plan else { return contentType }
    let options = plan.options.isEmpty ? "" : "; options=\(plan.options.joined(separator: "|"))"
    return "application/vnd.pgrst.plan+\(plan.format.rawValue); for=\"\(contentType)\"\(options)"
  }

  private var contentType: String {
    switch (shape, stripsNulls) {
    case (.rows, false): "application/json"
    case (.rows, true): "application/vnd.pgrst.array+json;nulls=stripped"
    case (.single, false): "application/vnd.pgrst.object+json"
    case (.single, true): "application/vnd.pgrst.object+json;nulls=stripped"
    case (.csv, _): "text/csv"
    case (.geoJSON, _): "application/geo+json"
    }
  }

  /// Whether the answer is text for people or other programs, no JSON.
  var isText: Bool { plan.map { $0.format == .text } ?? (shape == .csv) }

  /// Why no server can answer so; nil if one can.
  var fault: String? {
    stripsNulls && (shape == .csv || shape == .geoJSON)
      ? "stripNulls() goes with rows in JSON, not with csv() or geojson()." : nil
  }
}
