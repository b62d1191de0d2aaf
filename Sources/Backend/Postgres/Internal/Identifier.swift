/// A name as an SQL identifier, whatever stands in it.
///
/// Goes by scalars: a quote with a combining character behind it is a `Character` of its own.
func quotedIdentifier(_ name: String) -> String {
  var quoted = String.UnicodeScalarView()
  for scalar in name.unicodeScalars {
    if scalar == "\"" { quoted.append(scalar) }
    quoted.append(scalar)
  }
  return "\"\(quoted)\""
}
