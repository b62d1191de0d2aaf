import Auth
import FoundationEssentials
import Testing

/// A member of the client and what it sends.
struct WireCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// `POST /token?grant_type=password`
  let line: String
  /// Whose `Authorization` the request has; nil for none.
  var authorization: String?
  /// The body, as JSON.
  var body: String?
  /// What the server answers.
  var answer = "{}"
  /// How the client comes back from browsers and mails.
  var flowType = AuthFlowType.implicit
  /// How many requests go before.
  var before = 0
  let run: @Sendable (AuthClient) async throws -> Void

  var testDescription: String { name }

  init(
    _ name: String, _ line: String, as authorization: String? = nil, body: String? = nil, answer: String = "{}",
    flowType: AuthFlowType = .implicit, before: Int = 0, run: @escaping @Sendable (AuthClient) async throws -> Void
  ) {
    self.name = name
    self.line = line
    self.authorization = authorization
    self.body = body
    self.answer = answer
    self.flowType = flowType
    self.before = before
    self.run = run
  }

  static let all = signIn + user + factors + passkeys + admin + others
  static let session = "Bearer access-1"
}
