internal import SwiftwaterHTTP

/// Whom a provider says that a user is.
struct ExternalIdentity: Sendable {
  let provider: String
  /// The provider's name for the user.
  let subject: String
  let email: String?
  let isEmailVerified: Bool
  /// What is kept of the claims.
  let data: JSONValue

  /// Reads the claims of an ID token.
  init(provider: String, claims: JSONValue) throws(AuthError) {
    guard let subject = claims["sub"]?.stringValue, !subject.isEmpty else {
      throw .invalid("Missing sub claim in id_token")
    }
    self.provider = provider
    self.subject = subject
    email = try claims["email"]?.stringValue.flatMap { text throws(AuthError) in
      text.isEmpty ? nil : try Address.email(text)
    }
    // Some providers send a text.
    isEmailVerified = claims["email_verified"]?.boolValue ?? (claims["email_verified"]?.stringValue == "true")
    var data: JSONValue = [
      "iss": claims["iss"] ?? .null, "sub": .string(subject), "provider_id": .string(subject),
      "email_verified": .bool(isEmailVerified), "phone_verified": false,
    ]
    if let email { data["email"] = .string(email) }
    for name in ["name", "picture", "preferred_username", "given_name", "family_name", "locale"] {
      if let value = claims[name], !value.isNull { data[name] = value }
    }
    if let name = claims["name"] { data["full_name"] = name }
    if let picture = claims["picture"] { data["avatar_url"] = picture }
    self.data = data
  }

  /// What is done with the identity.
  enum Decision: Equatable {
    /// It is the user's.
    case signIn(user: String)
    /// It becomes the user's. `takesOver`: nobody has ever confirmed the user's address, so whoever made the user keeps
    /// nothing of it.
    case link(user: String, takesOver: Bool)
    /// It becomes a new user.
    case create
    case refuse(AuthError)
  }

  /// Decides by who has the identity, who has its address, and who wants it linked.
  func decision(owner: String?, addressOwner: (id: String, isConfirmed: Bool)?, linkingUser: String?) -> Decision {
    if let linkingUser {
      guard let owner else { return .link(user: linkingUser, takesOver: false) }
      let message =
        owner == linkingUser ? "Identity is already linked" : "Identity is already linked to another user"
      return .refuse(AuthError(422, .identityAlreadyExists, message))
    }
    if let owner { return .signIn(user: owner) }
    guard let addressOwner else { return .create }
    // Only who has proven the address to the provider is taken for the one who has proven it to us.
    guard isEmailVerified else {
      return .refuse(
        AuthError(
          403, .providerEmailNeedsVerification,
          "Unverified email with \(provider). Verify the email with \(provider) in order to sign in"))
    }
    return .link(user: addressOwner.id, takesOver: !addressOwner.isConfirmed)
  }
}
