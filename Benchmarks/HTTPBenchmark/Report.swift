/// One figure, with its ratio to URLSession's and its target where it has them.
struct Row {
  let name: String
  let value: Double
  let unit: String
  let ratio: Double?
  let target: String
  let isMet: Bool?

  init(
    _ name: String, _ value: Double, _ unit: String, ratio: Double? = nil, atMost: Double? = nil, most: Double? = nil
  ) {
    self.name = name
    self.value = (value * 100).rounded() / 100
    self.unit = unit
    self.ratio = ratio.map { ($0 * 100).rounded() / 100 }
    target = atMost.map { "<= \($0) x URLSession" } ?? most.map { "<= \($0) \(unit)" } ?? ""
    isMet = atMost.map { (ratio ?? .nan) <= $0 } ?? most.map { value <= $0 }
  }
}

/// All figures, as lines or as JSON lines.
struct Report {
  var rows: [Row] = []

  var table: String {
    rows.map { row in
      let ratio = row.ratio.map { ", \($0) x URLSession" } ?? ""
      let target = row.isMet.map { " (\(row.target): \($0 ? "yes" : "NO"))" } ?? ""
      return "\(row.name): \(row.value) \(row.unit)\(ratio)\(target)"
    }.joined(separator: "\n")
  }

  var json: String {
    rows.map { row in
      let ratio = row.ratio.map { ",\"ratio\":\($0)" } ?? ""
      let met = row.isMet.map { ",\"target\":\"\(row.target)\",\"met\":\($0)" } ?? ""
      let figure = "\"figure\":\"\(row.name)\",\"value\":\(row.value),\"unit\":\"\(row.unit)\""
      return "{\"benchmark\":\"http\",\(figure)\(ratio)\(met)}"
    }.joined(separator: "\n")
  }
}
