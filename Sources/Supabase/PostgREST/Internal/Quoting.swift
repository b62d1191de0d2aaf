internal import Helpers

extension String {
  /// The text as an element of `in.(…)` or as an operand inside `or=(…)`: quoted where it would mean anything else there.
  var quotedInList: String { quoted(where: ",()\"\\{}[]") }

  /// The text as an element of a PostgreSQL array literal, where `null` without quotes is NULL.
  var quotedInArray: String { quoted(where: ",{}\"\\") }

  /// The text as a bound of a PostgreSQL range literal.
  var quotedInRange: String { quoted(where: ",()[]\"\\") }

  /// The text in double quotes, so that no character of it means anything.
  var quotedAlways: String { "\"" + escaping(["\\", "\""], with: "\\") + "\"" }

  private func quoted(where special: String) -> String {
    let needsQuotes =
      isEmpty || lowercased() == "null"
      || unicodeScalars.contains { special.unicodeScalars.contains($0) || $0.properties.isWhitespace }
    return needsQuotes ? quotedAlways : self
  }

  /// The text without the white space that people put between columns; quoted names keep theirs.
  var withoutUnquotedSpace: String {
    var (kept, isQuoted, isEscaped) = (String.UnicodeScalarView(), false, false)
    for scalar in unicodeScalars {
      if scalar == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && scalar == "\\" && !isEscaped
      if isQuoted || !scalar.properties.isWhitespace { kept.append(scalar) }
    }
    return String(kept)
  }
}
