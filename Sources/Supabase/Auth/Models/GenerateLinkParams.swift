public import FoundationEssentials
public import Helpers

/// What a link is generated for.
public struct GenerateLinkParams: Sendable {
  let body: JSONObject
  let redirectTo: URL?

  private init(
    _ type: GenerateLinkType, email: String, password: String? = nil, newEmail: String? = nil,
    data: [String: JSONValue]? = nil, redirectTo: URL?
  ) {
    body = .members([
      "type": .string(type.rawValue), "email": .string(email), "password": password.map { .string($0) },
      "new_email": newEmail.map { .string($0) }, "data": data.map { .object($0) },
    ])
    self.redirectTo = redirectTo
  }

  /// For confirming a new user, who is made with the password.
  public static func signUp(
    email: String, password: String, data: [String: JSONValue]? = nil, redirectTo: URL? = nil
  ) -> GenerateLinkParams {
    GenerateLinkParams(.signup, email: email, password: password, data: data, redirectTo: redirectTo)
  }

  /// For inviting a user.
  public static func invite(
    email: String, data: [String: JSONValue]? = nil, redirectTo: URL? = nil
  ) -> GenerateLinkParams {
    GenerateLinkParams(.invite, email: email, data: data, redirectTo: redirectTo)
  }

  /// For signing in.
  public static func magicLink(
    email: String, data: [String: JSONValue]? = nil, redirectTo: URL? = nil
  ) -> GenerateLinkParams {
    GenerateLinkParams(.magiclink, email: email, data: data, redirectTo: redirectTo)
  }

  /// For a user who has lost the password.
  public static func recovery(email: String, redirectTo: URL? = nil) -> GenerateLinkParams {
    GenerateLinkParams(.recovery, email: email, redirectTo: redirectTo)
  }

  /// For confirming a change of address at the current one.
  public static func emailChangeCurrent(
    email: String, newEmail: String, redirectTo: URL? = nil
  ) -> GenerateLinkParams {
    GenerateLinkParams(.emailChangeCurrent, email: email, newEmail: newEmail, redirectTo: redirectTo)
  }

  /// For confirming a change of address at the new one.
  public static func emailChangeNew(email: String, newEmail: String, redirectTo: URL? = nil) -> GenerateLinkParams {
    GenerateLinkParams(.emailChangeNew, email: email, newEmail: newEmail, redirectTo: redirectTo)
  }
}
