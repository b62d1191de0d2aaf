internal import SwiftwaterHTTP

/// Statements about `auth.users` and `auth.identities`.
enum UserStatements {
  /// Columns: `Account`.
  static func byID(_ id: String) -> SQLFragment {
    "SELECT \(raw: AuthSQL.account) FROM auth.users u WHERE u.id = \(id)::uuid"
  }

  /// Columns: `Account`.
  static func byEmail(_ email: String) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.account) FROM auth.users u
    WHERE u.email = \(email) AND NOT u.is_sso_user
    """
  }

  /// Columns: `Account`.
  static func byPhone(_ phone: String) -> SQLFragment {
    "SELECT \(raw: AuthSQL.account) FROM auth.users u WHERE u.phone = \(phone)"
  }

  /// Compares a password with the one that is kept, or with none at all in the same time, so that the delay does not
  /// tell who is registered. Columns: `Account`, NULL where nobody is; whether the password is the user's.
  static func byPassword(email: String?, phone: String?, id: String? = nil, password: String, crypto: String)
    -> SQLFragment
  {
    // Hashes of other libraries differ in the letter alone.
    let kept = """
      CASE WHEN u.encrypted_password ~ '^[$]2[abxy][$][0-9]{2}[$][./A-Za-z0-9]{53}$'
        THEN regexp_replace(u.encrypted_password, '^[$]2[by][$]', '$2a$') ELSE '\(nobodysHash)' END
      """
    let condition: SQLFragment =
      if let id {
        "u.id = \(id)::uuid"
      } else if let email {
        "u.email = \(email) AND NOT u.is_sso_user"
      } else {
        "u.phone = \(phone)"
      }
    return """
      SELECT CASE WHEN u.id IS NOT NULL THEN \(raw: AuthSQL.account) END,
        \(SQLFragment.crypt(password, salt: kept, schema: crypto)) = \(raw: kept)
          AND coalesce(u.encrypted_password, '') <> ''
      FROM (SELECT) AS once LEFT JOIN auth.users u ON \(condition)
      """
  }

  // Of no password.
  private static let nobodysHash = "$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"

  /// Hashes a password for nothing, so that an answer takes as long as one that needs the hash.
  static func hash(_ password: String, cost: Int, crypto: String) -> SQLFragment {
    "SELECT \(SQLFragment.crypt(password, cost: cost, schema: crypto))"
  }

  /// A user that is to be made.
  struct New {
    var id = Secrets.uuid()
    var audience: String
    var role: String
    var email: String?
    var phone: String?
    var password: String?
    /// A hash in place of a password.
    var passwordHash: String?
    var appMetadata: JSONValue
    var userMetadata: JSONValue = [:]
    var isAnonymous = false
    var isEmailConfirmed = false
    var isPhoneConfirmed = false
    var isInvited = false
    /// For how many seconds the user is banned.
    var banSeconds: Int?
    /// `{"provider", "provider_id", "data"}`
    var identities: [JSONValue] = []
  }

  static func insert(_ user: New, cost: Int, crypto: String, audit: AuditEntry) -> SQLFragment {
    let hash: SQLFragment =
      user.password.map { SQLFragment.crypt($0, cost: cost, schema: crypto) }
      ?? "coalesce(\(user.passwordHash)::text, '')"
    return """
      WITH made AS (
        INSERT INTO auth.users (
          instance_id, id, aud, role, email, phone, encrypted_password, email_confirmed_at, phone_confirmed_at,
          invited_at, confirmation_token, recovery_token, email_change_token_new, email_change, raw_app_meta_data,
          raw_user_meta_data, created_at, updated_at, is_anonymous, banned_until)
        VALUES (
          \(raw: AuthSQL.instance), \(user.id)::uuid, \(user.audience), \(user.role), \(user.email), \(user.phone),
          \(hash), CASE WHEN \(user.isEmailConfirmed)::bool THEN now() END,
          CASE WHEN \(user.isPhoneConfirmed)::bool THEN now() END, CASE WHEN \(user.isInvited)::bool THEN now() END,
          '', '', '', '', \(user.appMetadata.description)::jsonb, \(user.userMetadata.description)::jsonb, now(), now(),
          \(user.isAnonymous)::bool, now() + make_interval(secs => \(user.banSeconds)::float8))
        RETURNING id),
      named AS (
        INSERT INTO auth.identities (
          id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
        SELECT gen_random_uuid(), made.id, n ->> 'provider', n ->> 'provider_id', n -> 'data', now(), now(), now()
        FROM made, jsonb_array_elements(\(JSONValue.array(user.identities).description)::jsonb) n),
      \(AuditStatements.logged(audit, from: "made"))
      SELECT id FROM made
      """
  }

  /// What is to be changed of a user; nil leaves it.
  struct Change {
    var password: String?
    var passwordHash: String?
    var email: String?
    var phone: String?
    var role: String?
    /// Members to set; those that are null are removed.
    var appMetadata: JSONValue?
    var userMetadata: JSONValue?
    var confirmsEmail = false
    var confirmsPhone = false
    /// For how many seconds; 0 ends a ban.
    var banSeconds: Int?
  }

  static func update(_ id: String, _ change: Change, cost: Int, crypto: String, audit: AuditEntry) -> SQLFragment {
    let hash: SQLFragment =
      change.password.map { SQLFragment.crypt($0, cost: cost, schema: crypto) }
      ?? "coalesce(\(change.passwordHash)::text, encrypted_password)"
    func merged(_ column: String, _ value: JSONValue?) -> SQLFragment {
      guard let members = value?.objectValue else { return "\(raw: column)" }
      let removed = members.filter(\.value.isNull).map(\.key)
      return
        "(coalesce(\(raw: column), '{}') || \(JSONValue.object(members).description)::jsonb) - \(texts: removed)"
    }
    let ban: SQLFragment =
      switch change.banSeconds {
      case nil: "banned_until"
      case 0?: "NULL"
      case let seconds?: "now() + make_interval(secs => \(seconds)::float8)"
      }
    // A code that was sent before a new password may be in the hands of whoever had the old one.
    let forgets = change.password != nil || change.passwordHash != nil
    return """
      WITH forgotten AS (DELETE FROM auth.one_time_tokens WHERE user_id = \(id)::uuid AND \(forgets)::bool),
      changed AS (
        UPDATE auth.users SET \(forgets ? OneTimeTokenStatements.forgetsAll : "")
          encrypted_password = \(hash),
          email = coalesce(\(change.email)::text, email), phone = coalesce(\(change.phone)::text, phone),
          role = coalesce(\(change.role)::text, role),
          raw_app_meta_data = \(merged("raw_app_meta_data", change.appMetadata)),
          raw_user_meta_data = \(merged("raw_user_meta_data", change.userMetadata)),
          email_confirmed_at = CASE WHEN \(change.confirmsEmail)::bool
            THEN coalesce(email_confirmed_at, now()) ELSE email_confirmed_at END,
          phone_confirmed_at = CASE WHEN \(change.confirmsPhone)::bool
            THEN coalesce(phone_confirmed_at, now()) ELSE phone_confirmed_at END,
          is_anonymous = is_anonymous AND \(change.email == nil && change.phone == nil)::bool,
          banned_until = \(ban), updated_at = now()
        WHERE id = \(id)::uuid
        RETURNING id),
      \(AuditStatements.logged(audit, from: "changed"))
      SELECT id FROM changed
      """
  }

  /// Makes the identity of a provider that a user has by an address, or gives it the new address.
  static func setIdentity(_ id: String, provider: String, data: JSONValue) -> SQLFragment {
    """
    INSERT INTO auth.identities (
      id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
    VALUES (
      gen_random_uuid(), \(id)::uuid, \(provider), \(id), \(data.description)::jsonb, now(), now(), now())
    ON CONFLICT (provider_id, provider) DO UPDATE
      SET identity_data = auth.identities.identity_data || excluded.identity_data, updated_at = now()
    """
  }

  /// Keeps `provider` and `providers` of `app_metadata` in step with the identities.
  static func setProviders(_ id: String) -> SQLFragment {
    """
    UPDATE auth.users u SET raw_app_meta_data = coalesce(u.raw_app_meta_data, '{}') || jsonb_build_object(
      'provider', n.providers -> 0, 'providers', n.providers)
    FROM (
      SELECT jsonb_agg(provider ORDER BY first, provider) AS providers FROM (
        SELECT provider, min(created_at) AS first FROM auth.identities WHERE user_id = \(id)::uuid GROUP BY provider
      ) AS each) AS n
    WHERE u.id = \(id)::uuid AND n.providers IS NOT NULL
    """
  }

  static func delete(_ id: String, audit: AuditEntry) -> SQLFragment {
    """
    WITH gone AS (DELETE FROM auth.users WHERE id = \(id)::uuid RETURNING id),
    \(AuditStatements.logged(audit, from: "gone"))
    SELECT id FROM gone
    """
  }

  /// Leaves a row that says nothing of the person: addresses become hashes, everything else goes.
  static func softDelete(_ id: String, crypto: String, audit: AuditEntry) -> [SQLFragment] {
    func hash(_ column: String) -> String {
      "translate(rtrim(encode(\(crypto).digest(\(column)::text, 'sha256'), 'base64'), '='), '+/', '-_')"
    }
    return [
      """
      WITH changed AS (
        UPDATE auth.users SET
          email = CASE WHEN coalesce(email, '') <> '' THEN \(raw: hash("email")) ELSE email END,
          phone = CASE WHEN coalesce(phone, '') <> '' THEN left(\(raw: hash("phone")), 15) ELSE phone END,
          encrypted_password = '', raw_user_meta_data = '{}', raw_app_meta_data = '{}', email_change = '',
          phone_change = '', confirmation_token = '', recovery_token = '', email_change_token_new = '',
          email_change_token_current = '', phone_change_token = '', reauthentication_token = '',
          deleted_at = now(), updated_at = now()
        WHERE id = \(id)::uuid AND deleted_at IS NULL
        RETURNING id),
      \(AuditStatements.logged(audit, from: "changed"))
      SELECT id FROM changed
      """,
      """
      UPDATE auth.identities SET provider_id = \(raw: hash("provider || ':' || provider_id")), identity_data = '{}',
        updated_at = now()
      WHERE user_id = \(id)::uuid
      """,
      "DELETE FROM auth.mfa_factors WHERE user_id = \(id)::uuid",
      "DELETE FROM auth.one_time_tokens WHERE user_id = \(id)::uuid",
      "DELETE FROM auth.sessions WHERE user_id = \(id)::uuid",
      "DELETE FROM auth.refresh_tokens WHERE user_id = \(id)",
    ]
  }

  /// Columns: what clients see of a user; how many there are.
  static func page(_ page: Int, size: Int, filter: String?) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.profile), count(*) OVER ()
    FROM auth.users u
    WHERE u.deleted_at IS NULL AND (\(filter)::text IS NULL
      OR position(lower(\(filter)::text) IN lower(coalesce(u.email, ''))) > 0
      OR position(lower(\(filter)::text) IN lower(coalesce(u.raw_user_meta_data ->> 'full_name', ''))) > 0)
    ORDER BY u.created_at DESC NULLS LAST, u.id
    LIMIT \(size)::int OFFSET \((page - 1) * size)::bigint
    """
  }

  static let count: SQLFragment = "SELECT count(*) FROM auth.users WHERE deleted_at IS NULL"
}
