internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterTokens

/// What the project's key is good for.
struct ProjectKey {
  let text: String
  /// Whether it opens everything: a service's key, never an app's.
  let isSecret: Bool
  /// Whether it is a token, which can stand as a bearer for itself.
  let isToken: Bool
  /// Whether its form is none that is known.
  let isUnknown: Bool

  init(_ text: String) throws(SupabaseClientError) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw SupabaseClientError(
        kind: .invalidKey,
        message: "The project's key is empty or has characters that no key has; copy it from the project's settings.")
    }
    self.text = text
    let role = (try? JSONWebToken.unverified(text))?.values["role"]?.stringValue
    isToken = role != nil
    isSecret = role == "service_role" || text.hasPrefix("sb_secret_")
    isUnknown = text.hasPrefix("sb_") && !text.hasPrefix("sb_secret_") && !text.hasPrefix("sb_publishable_")
  }
}
