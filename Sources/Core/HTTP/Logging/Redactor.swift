/// Takes secrets out of what is logged.
///
/// Removed are JSON web tokens, API keys of known shapes, `Bearer` and `Basic` credentials, URLs' queries, fragments and
/// user information, and the values of secret names in JSON, header fields, forms and metadata. When in doubt it takes
/// out too much.
enum Redactor {
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
}
