/// Finds the name that was probably meant: those that share groups of letters with what was written, the nearest first.
///
/// The scores are those of the fuzzy set that PostgREST uses, so that hints come in the same cases.
enum Suggestion {
  /// Below this a name of a table or function is not told.
  static let nameScore = 0.75
  /// Below this nothing is similar at all.
  static let lowestScore = 0.33

  private static let candidateLimit = 50

  /// The candidates that reach `minimumScore` (0 to 1), best first.
  static func ranked(
    _ text: String, among candidates: some Sequence<String>, minimumScore: Double = lowestScore
  ) -> [(score: Double, name: String)] {
    // Beyond what PostgreSQL keeps of a name nothing can be meant, and comparing would take long.
    guard text.utf8.count <= 256 else { return [] }
    let wanted = text.lowercased()
    let names = candidates.map { (name: $0, lowercase: $0.lowercased()) }
    if let exact = names.first(where: { $0.lowercase == wanted }) { return [(1, exact.name)] }
    for size in [3, 2] {
      let grams = Grams(wanted, size: size)
      let similar =
        names
        .map { (score: grams.cosine(to: Grams($0.lowercase, size: size)), name: $0) }
        .filter { $0.score > 0 }
        .sorted { $0.score > $1.score }
        .prefix(candidateLimit)
        .map { (score: similarity($0.name.lowercase, wanted), name: $0.name.name) }
        .sorted { $0.score > $1.score }
      if !similar.isEmpty { return similar.filter { $0.score >= minimumScore } }
    }
    return []
  }

  static func best(_ text: String, among candidates: some Sequence<String>, minimumScore: Double) -> String? {
    ranked(text, among: candidates, minimumScore: minimumScore).first?.name
  }

  private static func similarity(_ left: String, _ right: String) -> Double {
    let length = max(left.unicodeScalars.count, right.unicodeScalars.count)
    return length == 0 ? 0 : 1 - Double(left.editDistance(to: right)) / Double(length)
  }

  /// How often each group of `size` letters occurs in a text.
  private struct Grams {
    var counts: [[Unicode.Scalar]: Int] = [:]

    init(_ text: String, size: Int) {
      let letters = text.unicodeScalars.filter {
        $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "_" || $0 == " " || $0 == ","
      }
      let scalars = ["-"] + Array(letters) + ["-"]
      guard scalars.count >= size else { return }
      for start in 0...(scalars.count - size) { counts[Array(scalars[start..<(start + size)]), default: 0] += 1 }
    }

    private var norm: Double { Double(counts.values.reduce(0) { $0 + $1 * $1 }).squareRoot() }

    func cosine(to other: Grams) -> Double {
      let product = counts.reduce(0) { $0 + $1.value * (other.counts[$1.key] ?? 0) }
      return product == 0 ? 0 : Double(product) / (norm * other.norm)
    }
  }
}

extension String {
  /// How many insertions, removals and replacements lead from one text to the other (Levenshtein).
  func editDistance(to other: String) -> Int {
    let target = Array(other.unicodeScalars)
    var distances = Array(0...target.count)
    for (row, scalar) in unicodeScalars.enumerated() {
      var diagonal = distances[0]
      distances[0] = row + 1
      for (column, candidate) in target.enumerated() {
        let replacement = diagonal + (scalar == candidate ? 0 : 1)
        diagonal = distances[column + 1]
        distances[column + 1] = Swift.min(replacement, distances[column] + 1, diagonal + 1)
      }
    }
    return distances[target.count]
  }
}
