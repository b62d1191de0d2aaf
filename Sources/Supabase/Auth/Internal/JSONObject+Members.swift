internal import FoundationEssentials
internal import Helpers

extension JSONObject {
  /// The members that have a value.
  static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONObject {
    members.reduce(into: [:]) { object, member in object[member.key] = member.value }
  }
}

extension JSONValue {
  /// The captcha's proof, as every request has it.
  static func captcha(_ token: String?) -> JSONValue? { token.map { ["captcha_token": .string($0)] } }

  /// A text, if there is one.
  static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
}
