/// Statements about `auth.mfa_factors` and `auth.mfa_challenges`.
enum FactorStatements {
  /// Whether a session may add to its user's factors: it has the second level, or there is none to be had yet. Stands in
  /// the statement that adds one, behind a lock of the session: who verifies the first factor ends the sessions that
  /// lack the level.
  private static func mayAdd(session: String, user: String) -> SQLFragment {
    """
    EXISTS (
      SELECT FROM auth.sessions s WHERE s.id = \(session)::uuid AND s.user_id = \(user)::uuid AND (
        s.aal >= 'aal2' OR NOT EXISTS (
          SELECT FROM auth.mfa_factors v WHERE v.user_id = \(user)::uuid AND v.status = 'verified')))
    """
  }

  /// Makes a factor; no row where the session may not, or the user has as many as may be. Columns: its id.
  ///
  /// - Parameter limit: how many factors a user may have.
  static func insert(
    _ id: String, user: String, session: String, kind: String, name: String, secret: String?, phone: String?,
    limit: Int, audit: AuditEntry
  ) -> SQLFragment {
    """
    WITH stale AS (
      DELETE FROM auth.mfa_factors
      WHERE user_id = \(user)::uuid AND status = 'unverified'
        AND (created_at < now() - interval '1 day' OR phone = \(phone)::text)),
    made AS (
      INSERT INTO auth.mfa_factors (
        id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
      SELECT \(id)::uuid, \(user)::uuid, \(name)::text, \(kind)::auth.factor_type, 'unverified', now(), now(),
        \(secret)::text, \(phone)::text
      WHERE (SELECT count(*) FROM auth.mfa_factors WHERE user_id = \(user)::uuid) < \(limit)::int
        AND \(mayAdd(session: session, user: user))
      RETURNING id),
    \(AuditStatements.logged(audit, from: "made"))
    SELECT id FROM made
    """
  }

  /// Opens a challenge. Columns: when it was opened, in seconds since 1970.
  static func challenge(_ id: String, factor: String, address: String, seal: String?, audit: AuditEntry) -> SQLFragment
  {
    """
    WITH made AS (
      INSERT INTO auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code)
      VALUES (
        \(id)::uuid, \(factor)::uuid, now(), coalesce(nullif(\(address)::text, ''), '127.0.0.1')::inet, \(seal)::text)
      RETURNING created_at),
    touched AS (
      UPDATE auth.mfa_factors SET last_challenged_at = clock_timestamp() WHERE id = \(factor)::uuid),
    \(AuditStatements.logged(audit, from: "made"))
    SELECT floor(extract(epoch FROM created_at))::bigint FROM made
    """
  }

  /// A challenge that somebody answers.
  struct Challenge: Decodable, Sendable {
    var factor: String
    var secret: String?
    /// Seconds since it was opened.
    var age: Double
    var isVerified: Bool
    var isSameAddress: Bool
    /// What the database keeps of the code that was sent.
    var seal: String?
    /// Seconds since 1970, of the database.
    var now: Double
    /// The step of the latest code of an authenticator that the factor was verified by.
    var lastStep: Int?
  }

  /// The step of the latest code that verified a factor. It stands in the challenge that the code has answered, in a
  /// column that authenticators do not need otherwise.
  private static func lastStep(_ factor: String) -> SQLFragment {
    """
    (SELECT max(CASE WHEN otp_code ~ '^[0-9]{1,18}$' THEN otp_code::bigint END)
    FROM auth.mfa_challenges WHERE factor_id = \(factor)::uuid AND verified_at IS NOT NULL)
    """
  }

  /// Lets nobody else change the user's sessions until the transaction ends. Whatever verifies or removes factors begins
  /// so: of two the second sees what the first has left.
  static func lockSessions(of user: String) -> SQLFragment {
    "SELECT FROM auth.sessions WHERE user_id = \(user)::uuid ORDER BY id FOR NO KEY UPDATE"
  }

  /// Columns: `Challenge`.
  static func challenge(_ id: String, factor: String, address: String) -> SQLFragment {
    """
    SELECT jsonb_build_object(
      'factor', f.id, 'secret', f.secret, 'age', \(raw: AuthSQL.age("c.created_at")),
      'isVerified', c.verified_at IS NOT NULL,
      'isSameAddress', c.ip_address = coalesce(nullif(\(address)::text, ''), '127.0.0.1')::inet,
      'seal', c.otp_code, 'now', extract(epoch FROM now())::float8, 'lastStep', \(lastStep(factor)))
    FROM auth.mfa_challenges c JOIN auth.mfa_factors f ON f.id = c.factor_id
    WHERE c.id = \(id)::uuid AND f.id = \(factor)::uuid
    """
  }

  /// Takes an answered challenge and lifts the session: the factor is verified, the session has the second level and a
  /// new refresh token, others that lack the level end, and factors that were never verified go. No row where the
  /// challenge was taken already, the code is not later than the last one, or a session of the first level would verify
  /// a new factor beside another. Stands behind `lockSessions(of:)`.
  ///
  /// - Parameter step: that of an authenticator's code.
  static func verify(
    challenge: String, factor: String, user: String, session: String, method: String, step: Int?,
    refreshToken: String, audit: AuditEntry
  ) -> SQLFragment {
    """
    WITH taken AS (
      UPDATE auth.mfa_challenges SET verified_at = now(), otp_code = coalesce(\(step)::bigint::text, otp_code)
      WHERE id = \(challenge)::uuid AND verified_at IS NULL
        AND (\(step)::bigint IS NULL OR \(step)::bigint > coalesce(\(lastStep(factor)), -1)) AND (
        EXISTS (SELECT FROM auth.mfa_factors f WHERE f.id = \(factor)::uuid AND f.status = 'verified')
        OR \(mayAdd(session: session, user: user)))
      RETURNING id),
    proven AS (
      UPDATE auth.mfa_factors SET status = 'verified', updated_at = now()
      FROM taken WHERE auth.mfa_factors.id = \(factor)::uuid),
    lifted AS (
      UPDATE auth.sessions SET aal = 'aal2', factor_id = \(factor)::uuid, updated_at = now()
      FROM taken WHERE auth.sessions.id = \(session)::uuid
      RETURNING auth.sessions.id),
    named AS (
      INSERT INTO auth.mfa_amr_claims (id, session_id, authentication_method, created_at, updated_at)
      SELECT gen_random_uuid(), id, \(method)::text, now(), now() FROM lifted
      ON CONFLICT (session_id, authentication_method) DO UPDATE SET updated_at = excluded.updated_at),
    old AS (
      UPDATE auth.refresh_tokens t SET revoked = true, updated_at = now()
      FROM lifted WHERE t.session_id = lifted.id AND NOT t.revoked
      RETURNING t.token, t.session_id),
    granted AS (
      INSERT INTO auth.refresh_tokens (
        instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
      SELECT \(raw: AuthSQL.instance), \(refreshToken)::text, \(user)::text, false, now(), now(),
        (SELECT max(old.token) FROM old), lifted.id
      FROM lifted),
    ended AS (
      DELETE FROM auth.sessions s USING taken
      WHERE s.user_id = \(user)::uuid AND s.id <> \(session)::uuid AND coalesce(s.aal, 'aal1') < 'aal2'),
    dropped AS (
      DELETE FROM auth.mfa_factors f USING taken
      WHERE f.user_id = \(user)::uuid AND f.id <> \(factor)::uuid AND f.status = 'unverified'),
    \(AuditStatements.logged(audit, from: "taken"))
    SELECT id FROM taken
    """
  }

  /// A session that was lifted. Columns: `Account`, `SessionState`; no row where it was not.
  static func lifted(_ session: String, refreshToken: String) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.account), \(raw: AuthSQL.session)
    FROM auth.sessions s JOIN auth.users u ON u.id = s.user_id
    JOIN auth.refresh_tokens t ON t.session_id = s.id
    WHERE s.id = \(session)::uuid AND t.token = \(refreshToken)
    """
  }

  /// Removes a factor, and its user's sessions fall back to the first level.
  static func delete(_ id: String, user: String, audit: AuditEntry) -> [SQLFragment] {
    [
      lockSessions(of: user),
      """
      WITH gone AS (
        DELETE FROM auth.mfa_factors WHERE id = \(id)::uuid AND user_id = \(user)::uuid RETURNING id),
      \(AuditStatements.logged(audit, from: "gone"))
      SELECT id FROM gone
      """,
      """
      DELETE FROM auth.mfa_amr_claims a USING auth.sessions s
      WHERE a.session_id = s.id AND s.factor_id = \(id)::uuid AND a.authentication_method IN ('totp', 'mfa/phone')
      """,
      "UPDATE auth.sessions SET aal = 'aal1', factor_id = NULL WHERE factor_id = \(id)::uuid",
    ]
  }

  /// Columns: a factor as clients see it.
  static func list(user: String) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.factor) FROM auth.mfa_factors f WHERE f.user_id = \(user)::uuid ORDER BY f.created_at
    """
  }

  /// Columns: the factor as clients see it.
  static func byID(_ id: String, user: String) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.factor) FROM auth.mfa_factors f WHERE f.id = \(id)::uuid AND f.user_id = \(user)::uuid
    """
  }

  static func update(_ id: String, user: String, name: String?, phone: String?) -> SQLFragment {
    """
    UPDATE auth.mfa_factors SET friendly_name = coalesce(\(name)::text, friendly_name),
      phone = coalesce(\(phone)::text, phone), updated_at = now()
    WHERE id = \(id)::uuid AND user_id = \(user)::uuid
    """
  }
}
