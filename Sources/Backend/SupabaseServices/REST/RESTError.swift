/// An answer that says what went wrong, in PostgREST's shape: `{"code", "details", "hint", "message"}`.
struct RESTError: Error, Equatable, Sendable {
  /// What stands under `details`.
  enum Details: Equatable, Sendable {
    case text(String)
    /// JSON as it is.
    case json(String)
  }

  var status: Int
  var code: String
  var message: String
  var details: Details?
  var hint: String?
  /// What a 401 says about the credentials it wants (RFC 6750 §3).
  var challenge: String?
  /// What the database itself adds to the answer's head.
  var fields: [(name: String, value: String)] = []

  init(
    status: Int, code: String, message: String, details: String? = nil, hint: String? = nil, challenge: String? = nil
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.details = details.map(Details.text)
    self.hint = hint
    self.challenge = challenge
  }

  static func == (left: Self, right: Self) -> Bool {
    left.status == right.status && left.code == right.code && left.message == right.message
      && left.details == right.details && left.hint == right.hint && left.challenge == right.challenge
  }

  /// The body of the answer.
  ///
  /// - Parameter isTerse: leave out details and hint.
  func json(isTerse: Bool = false) -> [UInt8] {
    var writer = JSONWriter()
    var members: [(name: String, value: JSONWriter.Value)] = [("code", .string(code))]
    if !isTerse {
      let details: JSONWriter.Value =
        switch self.details {
        case .text(let text): .string(text)
        case .json(let json): .json(json)
        case nil: .null
        }
      members += [("details", details), ("hint", hint.map(JSONWriter.Value.string) ?? .null)]
    }
    members.append(("message", .string(message)))
    writer.object(members)
    return writer.bytes
  }
}
