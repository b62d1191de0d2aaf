/// One measured figure beside the floor of the same run and the target.
struct Figure {
  enum Target {
    /// The ratio to the floor must be at least this.
    case ratioAtLeast(Double)
    /// The value must be at most this.
    case valueAtMost(Double)
  }

  var name: String
  var value: Double
  var unit: String
  /// The value divided by that of one `AsyncStream` with one consumer.
  var ratio: Double
  var target: Target

  var isMet: Bool {
    switch target {
    case .ratioAtLeast(let least): ratio >= least
    case .valueAtMost(let most): value <= most
    }
  }

  var targetText: String {
    switch target {
    case .ratioAtLeast(let least): ">= \(short(least))x floor"
    case .valueAtMost(let most): "<= \(short(most)) \(unit)"
    }
  }
}

/// All figures, as an aligned table or as JSON lines.
struct Report {
  var floors: [Figure] = []
  var figures: [Figure] = []

  var table: String {
    var rows = [["figure", "value", "x floor", "target", "met"]]
    rows += floors.map { ["floor: \($0.name)", "\(short($0.value)) \($0.unit)", "1", "", ""] }
    rows += figures.map { figure in
      [
        figure.name, "\(short(figure.value)) \(figure.unit)", short(figure.ratio), figure.targetText,
        figure.isMet ? "yes" : "NO",
      ]
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      zip(row, widths).map { text, width in text + String(repeating: " ", count: width - text.count) }
        .joined(separator: "  ")
    }.joined(separator: "\n")
  }

  var json: String {
    let lines = floors.map { line($0, kind: "floor", ending: "") }
    return
      (lines
      + figures.map { figure in
        let target =
          switch figure.target {
          case .ratioAtLeast(let least): "\"minimumRatio\":\(least)"
          case .valueAtMost(let most): "\"maximum\":\(most)"
          }
        return line(figure, kind: "figure", ending: ",\(target),\"met\":\(figure.isMet)")
      }).joined(separator: "\n")
  }

  private func line(_ figure: Figure, kind: String, ending: String) -> String {
    "{\"benchmark\":\"streams\",\"\(kind)\":\"\(figure.name)\",\"value\":\(figure.value),\"unit\":\"\(figure.unit)\","
      + "\"ratio\":\(figure.ratio)\(ending)}"
  }
}

/// Three significant digits.
func short(_ value: Double) -> String {
  guard value.isFinite, value != 0 else { return "\(value)" }
  var scale = 1.0
  while abs(value) * scale < 100 { scale *= 10 }
  let rounded = (value * scale).rounded() / scale
  return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
}
