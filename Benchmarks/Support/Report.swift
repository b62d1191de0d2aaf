/// The figures of one benchmark, as an aligned table or as JSON lines.
package struct Report: Sendable {
  private let benchmark: String
  private let floor: String
  private let figures: [Figure]

  /// - Parameter floor: what the ratios compare with.
  package init(_ benchmark: String, floor: String, _ figures: [Figure]) {
    self.benchmark = benchmark
    self.floor = floor
    self.figures = figures
  }

  /// Prints the figures, as JSON lines if the program was started with `--json`.
  package func print() {
    Swift.print(CommandLine.arguments.contains("--json") ? json : table)
  }

  private var table: String {
    var rows = [["figure", "value", "x \(floor)", "target", "met"]]
    rows += figures.map { figure in
      [
        figure.name, "\(short(figure.value)) \(figure.unit)", figure.ratio.map(short) ?? "", figure.targetText(floor),
        figure.isMet.map { $0 ? "yes" : "NO" } ?? "",
      ]
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
        .joined(separator: "  ")
    }.joined(separator: "\n")
  }

  private var json: String {
    figures.map { figure in
      // JSON has no word for what could not be measured.
      func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }
      let ratio = figure.ratio.map { ",\"ratio\":\(number($0))" } ?? ""
      let met = figure.isMet.map { ",\"target\":\"\(figure.targetText(floor))\",\"met\":\($0)" } ?? ""
      let value = "\"figure\":\"\(figure.name)\",\"value\":\(number(figure.value)),\"unit\":\"\(figure.unit)\""
      return "{\"benchmark\":\"\(benchmark)\",\(value)\(ratio)\(met)}"
    }.joined(separator: "\n")
  }
}

/// Three significant digits, more before the point if there are more.
func short(_ value: Double) -> String {
  guard value.isFinite, value != 0 else { return "\(value)" }
  var scale = 1.0
  while abs(value) * scale < 100 { scale *= 10 }
  let rounded = (value * scale).rounded() / scale
  return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
}

/// The middle one, NaN of none.
package func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}
