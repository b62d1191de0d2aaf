/// Takes secrets out of what is logged.
///
/// Removed are JSON web tokens, API keys of known shapes, `Bearer` and `Basic` credentials, URLs' queries, fragments and
/// user information, and the values of secret names in JSON, header fields, forms and metadata. When in doubt it takes
/// out too much.
package enum Redactor {
  /// What stands in a secret's place.
  static let mark = "<redacted>"

  /// Facts without their secrets.
  static func redact(_ metadata: [String: String]) -> [String: String] {
    var redacted = metadata
    for (name, value) in metadata {
      let last = name.split(separator: ".").last ?? ""
      redacted[name] = SecretNames.contain(last) ? mark : redact(value)
    }
    return redacted
  }

  /// A text without its secrets.
  static func redact(_ text: String) -> String {
    var scanner = SecretScanner(Array(text.utf8))
    return scanner.redacted()
  }

  /// What others have written, fit for an error's message: without secrets, and with nothing in it that would begin a
  /// line or steer a terminal.
  package static func quote(_ text: String) -> String { printable(redact(text)) }

  /// The text with a replacement for every scalar that steers instead of being seen.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: steers) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { steers($0) ? "\u{FFFD}" : $0 }))
  }

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    // Overrides of the direction of writing; joiners, which belong to scripts and emoji, stay.
    case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: false
    }
  }
}
