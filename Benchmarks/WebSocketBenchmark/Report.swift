/// One figure, with its ratio to the floor's and its target where it has them.
struct Row {
  let name: String
  let value: Double
  let unit: String
  let ratio: Double?
  let target: String
  let isMet: Bool?

  init(_ name: String, _ value: Double, _ unit: String, ratio: Double? = nil, least: Double? = nil, most: Double? = nil)
  {
    self.name = name
    self.value = (value * 100).rounded() / 100
    self.unit = unit
    self.ratio = ratio.map { ($0 * 100).rounded() / 100 }
    target = least.map { ">= \(Int($0))\(unit)" } ?? most.map { "<= \(Int($0)) \(unit)" } ?? ""
    isMet = least.map { value >= $0 } ?? most.map { value <= $0 }
  }
}

/// All figures, as lines or as JSON lines.
struct Report {
  var rows: [Row] = []

  var table: String {
    rows.map { row in
      let ratio = row.ratio.map { ", \($0) x bare socket" } ?? ""
      let target = row.isMet.map { " (\(row.target): \($0 ? "yes" : "NO"))" } ?? ""
      return "\(row.name): \(row.value) \(row.unit)\(ratio)\(target)"
    }.joined(separator: "\n")
  }

  var json: String {
    rows.map { row in
      let ratio = row.ratio.map { ",\"ratio\":\($0)" } ?? ""
      let met = row.isMet.map { ",\"target\":\"\(row.target)\",\"met\":\($0)" } ?? ""
      let figure = "\"figure\":\"\(row.name)\",\"value\":\(row.value),\"unit\":\"\(row.unit)\""
      return "{\"benchmark\":\"websocket\",\(figure)\(ratio)\(met)}"
    }.joined(separator: "\n")
  }
}
