/// Statements about `auth.sessions`, `auth.refresh_tokens` and `auth.mfa_amr_claims`.
enum SessionStatements {
  /// A session that is to be opened.
  struct New: Sendable {
    var id = Secrets.uuid()
    var refreshToken = Secrets.token(length: 22)
    /// How the user has signed in, as `amr` names it.
    var method: String
    var userAgent: String?
    var address: String
  }

  /// Parts of a `WITH` that open a session for the user whom another part returns as `id`.
  static func opened(_ session: New, from source: String) -> SQLFragment {
    """
    opened AS (
      INSERT INTO auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
      SELECT \(session.id)::uuid, id, now(), now(), 'aal1'::auth.aal_level, \(session.userAgent)::text,
        nullif(\(session.address)::text, '')::inet
      FROM \(raw: source)
      RETURNING id, user_id),
    granted AS (
      INSERT INTO auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
      SELECT \(raw: AuthSQL.instance), \(session.refreshToken)::text, user_id::text, false, now(), now(), id FROM opened),
    proven AS (
      INSERT INTO auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
      SELECT gen_random_uuid(), id, \(session.method)::text, now(), now() FROM opened)
    """
  }

  /// Opens a session for a user.
  static func open(_ session: New, for user: String, audit: AuditEntry) -> SQLFragment {
    """
    WITH who AS (
      UPDATE auth.users SET last_sign_in_at = now(), updated_at = now()
      WHERE id = \(user)::uuid AND deleted_at IS NULL
      RETURNING id),
    \(opened(session, from: "who")),
    \(AuditStatements.logged(audit, from: "who"))
    SELECT id FROM who
    """
  }

  /// Columns: `Account`, `SessionState`.
  static func byID(_ id: String) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.account), \(raw: AuthSQL.session)
    FROM auth.sessions s JOIN auth.users u ON u.id = s.user_id WHERE s.id = \(id)::uuid
    """
  }

  /// Columns: `Account`, `RefreshDecision.Presented`.
  static func byRefreshToken(_ token: String) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.account), jsonb_build_object(
      'id', t.id, 'isRevoked', coalesce(t.revoked, false), 'age', coalesce(\(raw: AuthSQL.age("t.updated_at")), 0),
      'sessionID', s.id, 'sessionAge', \(raw: AuthSQL.age("s.created_at")),
      'isSessionOver', coalesce(s.not_after < now(), false), 'isBanned', coalesce(u.banned_until > now(), false),
      'newest', n.token, 'isParentOfNewest', coalesce(n.parent = t.token, false))
    FROM auth.refresh_tokens t
    LEFT JOIN LATERAL (
      SELECT token, parent FROM auth.refresh_tokens
      WHERE session_id = t.session_id AND NOT revoked ORDER BY id DESC LIMIT 1) n ON true
    JOIN auth.users u ON u.id = t.user_id::uuid
    LEFT JOIN auth.sessions s ON s.id = t.session_id
    WHERE t.token = \(token)
    """
  }

  /// Lets nobody else change the session until the transaction ends.
  static func lock(_ id: String) -> SQLFragment {
    "SELECT FROM auth.sessions WHERE id = \(id)::uuid FOR NO KEY UPDATE"
  }

  /// Puts a new refresh token in an old one's place, unless somebody else has just done so: then there is no row.
  static func rotate(_ id: Int, to token: String, userAgent: String?, address: String, audit: AuditEntry) -> SQLFragment
  {
    """
    WITH old AS (
      UPDATE auth.refresh_tokens SET revoked = true, updated_at = now()
      WHERE id = \(id)::bigint AND NOT revoked
      RETURNING token, user_id, session_id),
    granted AS (
      INSERT INTO auth.refresh_tokens (
        instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
      SELECT \(raw: AuthSQL.instance), \(token)::text, user_id, false, now(), now(), token, session_id FROM old),
    session AS (
      UPDATE auth.sessions s SET refreshed_at = timezone('utc', now()), updated_at = now(),
        user_agent = \(userAgent)::text, ip = nullif(\(address)::text, '')::inet
      FROM old WHERE s.id = old.session_id),
    \(AuditStatements.logged(audit, from: "old"))
    SELECT session_id FROM old
    """
  }

  static func revokeFamily(_ session: String, audit: AuditEntry) -> SQLFragment {
    """
    WITH old AS (
      UPDATE auth.refresh_tokens SET revoked = true, updated_at = now()
      WHERE session_id = \(session)::uuid AND NOT revoked
      RETURNING 1),
    family AS (SELECT FROM old LIMIT 1),
    \(AuditStatements.logged(audit, from: "family"))
    SELECT FROM family
    """
  }

  /// Which sessions a sign-out ends.
  enum Scope: String {
    case global, local, others
  }

  static func end(_ scope: Scope, user: String, session: String) -> SQLFragment {
    switch scope {
    case .global: "DELETE FROM auth.sessions WHERE user_id = \(user)::uuid"
    case .local: "DELETE FROM auth.sessions WHERE id = \(session)::uuid"
    case .others: "DELETE FROM auth.sessions WHERE user_id = \(user)::uuid AND id <> \(session)::uuid"
    }
  }

  static func endAll(user: String) -> SQLFragment { "DELETE FROM auth.sessions WHERE user_id = \(user)::uuid" }
}
