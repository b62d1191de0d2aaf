internal import SwiftwaterHTTP

/// Statements about identities of providers.
enum IdentityStatements {
  /// Columns: the user's id.
  static func owner(provider: String, subject: String) -> SQLFragment {
    """
    SELECT user_id FROM auth.identities WHERE provider = \(provider)::text AND provider_id = \(subject)::text
    """
  }

  /// Gives a user an identity.
  static func link(_ identity: ExternalIdentity, to user: String) -> SQLFragment {
    """
    INSERT INTO auth.identities (
      id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
    VALUES (
      gen_random_uuid(), \(user)::uuid, \(identity.provider), \(identity.subject),
      \(identity.data.description)::jsonb, now(), now(), now())
    """
  }

  /// Renews what the provider says.
  static func refresh(_ identity: ExternalIdentity, of user: String) -> SQLFragment {
    """
    UPDATE auth.identities SET identity_data = identity_data || \(identity.data.description)::jsonb,
      last_sign_in_at = now(), updated_at = now()
    WHERE provider = \(identity.provider)::text AND provider_id = \(identity.subject)::text
      AND user_id = \(user)::uuid
    """
  }

  /// Takes from a user whatever somebody has given who never proved the address.
  static func takeOver(_ user: String) -> [SQLFragment] {
    [
      """
      UPDATE auth.users SET encrypted_password = '', raw_user_meta_data = '{}', email_confirmed_at = now(),
        confirmation_token = '', recovery_token = ''
      WHERE id = \(user)::uuid
      """,
      "DELETE FROM auth.identities WHERE user_id = \(user)::uuid",
      "DELETE FROM auth.sessions WHERE user_id = \(user)::uuid",
      "DELETE FROM auth.one_time_tokens WHERE user_id = \(user)::uuid",
      "DELETE FROM auth.mfa_factors WHERE user_id = \(user)::uuid",
    ]
  }

  /// Takes an identity from a user who has others; no row where it is the last.
  static func unlink(_ id: String, of user: String, audit: AuditEntry) -> SQLFragment {
    """
    WITH others AS (
      SELECT id FROM auth.identities WHERE user_id = \(user)::uuid ORDER BY id FOR UPDATE),
    gone AS (
      DELETE FROM auth.identities
      WHERE id = \(id)::uuid AND user_id = \(user)::uuid AND (SELECT count(*) FROM others) > 1
      RETURNING id, user_id, provider),
    changed AS (
      UPDATE auth.users u SET updated_at = now(),
        phone = CASE WHEN gone.provider = 'phone' THEN NULL ELSE u.phone END,
        phone_confirmed_at = CASE WHEN gone.provider = 'phone' THEN NULL ELSE u.phone_confirmed_at END,
        email = CASE WHEN gone.provider = 'email' THEN (
          SELECT i.email FROM auth.identities i
          WHERE i.user_id = u.id AND i.id <> gone.id AND coalesce(i.email, '') <> '' ORDER BY i.created_at LIMIT 1)
          ELSE u.email END
      FROM gone WHERE u.id = gone.user_id),
    \(AuditStatements.logged(audit, from: "gone"))
    SELECT id FROM gone
    """
  }
}
