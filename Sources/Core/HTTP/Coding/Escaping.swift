extension String {
  /// The text with `mark` before each of `scalars`.
  ///
  /// It goes by Unicode scalars, as every reader of bytes does: to a `Character` search a quote with a combining accent
  /// behind it is no quote, and would pass unescaped.
  package func escaping(_ scalars: Set<Unicode.Scalar>, with mark: Unicode.Scalar) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalars.contains(scalar) { escaped.append(mark) }
      escaped.append(scalar)
    }
    return String(escaped)
  }
}
