public import FoundationEssentials
public import Helpers

/// A user as the server describes them.
public struct User: Codable, Hashable, Identifiable, Sendable {
  /// The user's identifier.
  public var id: UUID
  /// What the project's servers know of the user, such as the providers.
  public var appMetadata: [String: JSONValue]
  /// What the user may change.
  public var userMetadata: [String: JSONValue]
  /// The audience of the user's tokens.
  public var aud: String
  /// When the confirmation of the address was sent.
  public var confirmationSentAt: Date?
  /// When the mail for a lost password was sent.
  public var recoverySentAt: Date?
  /// When the confirmation of a new address was sent.
  public var emailChangeSentAt: Date?
  /// The new address, as long as it is not confirmed.
  public var newEmail: String?
  /// When the user was invited.
  public var invitedAt: Date?
  /// The link that an administrator has generated.
  public var actionLink: String?
  /// The address.
  public var email: String?
  /// The phone number.
  public var phone: String?
  /// When the user was created.
  public var createdAt: Date
  /// When the address or the number was first confirmed.
  public var confirmedAt: Date?
  /// When the address was confirmed.
  public var emailConfirmedAt: Date?
  /// When the number was confirmed.
  public var phoneConfirmedAt: Date?
  /// When the user last signed in.
  public var lastSignInAt: Date?
  /// The role in the database.
  public var role: String?
  /// When the user was last changed.
  public var updatedAt: Date
  /// How the user can sign in; nil where the server does not tell.
  public var identities: [UserIdentity]?
  /// Whether the user has neither address nor number nor identity.
  public var isAnonymous: Bool
  /// The second factors; nil if there are none.
  public var factors: [Factor]?

  /// Describes a user.
  public init(
    id: UUID, appMetadata: [String: JSONValue], userMetadata: [String: JSONValue], aud: String,
    confirmationSentAt: Date? = nil, recoverySentAt: Date? = nil, emailChangeSentAt: Date? = nil,
    newEmail: String? = nil, invitedAt: Date? = nil, actionLink: String? = nil, email: String? = nil,
    phone: String? = nil, createdAt: Date, confirmedAt: Date? = nil, emailConfirmedAt: Date? = nil,
    phoneConfirmedAt: Date? = nil, lastSignInAt: Date? = nil, role: String? = nil, updatedAt: Date,
    identities: [UserIdentity]? = nil, isAnonymous: Bool = false, factors: [Factor]? = nil
  ) {
    self.id = id
    self.appMetadata = appMetadata
    self.userMetadata = userMetadata
    self.aud = aud
    self.confirmationSentAt = confirmationSentAt
    self.recoverySentAt = recoverySentAt
    self.emailChangeSentAt = emailChangeSentAt
    self.newEmail = newEmail
    self.invitedAt = invitedAt
    self.actionLink = actionLink
    self.email = email
    self.phone = phone
    self.createdAt = createdAt
    self.confirmedAt = confirmedAt
    self.emailConfirmedAt = emailConfirmedAt
    self.phoneConfirmedAt = phoneConfirmedAt
    self.lastSignInAt = lastSignInAt
    self.role = role
    self.updatedAt = updatedAt
    self.identities = identities
    self.isAnonymous = isAnonymous
    self.factors = factors
  }

  enum CodingKeys: String, CodingKey {
    case id, aud, email, phone, role, identities, factors
    case appMetadata = "app_metadata"
    case userMetadata = "user_metadata"
    case confirmationSentAt = "confirmation_sent_at"
    case recoverySentAt = "recovery_sent_at"
    case emailChangeSentAt = "email_change_sent_at"
    case newEmail = "new_email"
    case invitedAt = "invited_at"
    case actionLink = "action_link"
    case createdAt = "created_at"
    case confirmedAt = "confirmed_at"
    case emailConfirmedAt = "email_confirmed_at"
    case phoneConfirmedAt = "phone_confirmed_at"
    case lastSignInAt = "last_sign_in_at"
    case updatedAt = "updated_at"
    case isAnonymous = "is_anonymous"
  }

  /// Reads one; members that servers leave out have defaults.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    appMetadata = try container.decodeIfPresent([String: JSONValue].self, forKey: .appMetadata) ?? [:]
    userMetadata = try container.decodeIfPresent([String: JSONValue].self, forKey: .userMetadata) ?? [:]
    aud = try container.decodeIfPresent(String.self, forKey: .aud) ?? ""
    confirmationSentAt = try container.decodeIfPresent(Date.self, forKey: .confirmationSentAt)
    recoverySentAt = try container.decodeIfPresent(Date.self, forKey: .recoverySentAt)
    emailChangeSentAt = try container.decodeIfPresent(Date.self, forKey: .emailChangeSentAt)
    newEmail = try container.decodeIfPresent(String.self, forKey: .newEmail)
    invitedAt = try container.decodeIfPresent(Date.self, forKey: .invitedAt)
    actionLink = try container.decodeIfPresent(String.self, forKey: .actionLink)
    email = try container.decodeIfPresent(String.self, forKey: .email)
    phone = try container.decodeIfPresent(String.self, forKey: .phone)
    createdAt = try container.decode(Date.self, forKey: .createdAt)
    confirmedAt = try container.decodeIfPresent(Date.self, forKey: .confirmedAt)
    emailConfirmedAt = try container.decodeIfPresent(Date.self, forKey: .emailConfirmedAt)
    phoneConfirmedAt = try container.decodeIfPresent(Date.self, forKey: .phoneConfirmedAt)
    lastSignInAt = try container.decodeIfPresent(Date.self, forKey: .lastSignInAt)
    role = try container.decodeIfPresent(String.self, forKey: .role)
    updatedAt = try container.decode(Date.self, forKey: .updatedAt)
    identities = try container.decodeIfPresent([UserIdentity].self, forKey: .identities)
    isAnonymous = try container.decodeIfPresent(Bool.self, forKey: .isAnonymous) ?? false
    factors = try container.decodeIfPresent([Factor].self, forKey: .factors)
  }
}
