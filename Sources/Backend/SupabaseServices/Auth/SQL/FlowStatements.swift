/// Statements about `auth.flow_state`: flows that begin in one place and end in another.
enum FlowStatements {
  /// A flow that is to begin.
  struct New: Sendable {
    var id = Secrets.uuid()
    /// The user, where it is known.
    var user: String?
    var challenge: PKCEChallenge?
    /// `email`, `recovery` or the provider's name.
    var provider: String
    /// How the user signs in by it, as `amr` names it.
    var method: String
    /// Where the browser goes in the end.
    var referrer: String?
    /// Who links an identity.
    var linkingUser: String?
  }

  /// Begins a flow, and clears away those that nobody has ended.
  static func begin(_ flow: New) -> SQLFragment {
    """
    WITH stale AS (DELETE FROM auth.flow_state WHERE created_at < now() - interval '1 day')
    INSERT INTO auth.flow_state (
      id, user_id, auth_code, code_challenge, code_challenge_method, provider_type, authentication_method, created_at,
      updated_at, referrer, linking_target_id)
    VALUES (
      \(flow.id)::uuid, \(flow.user)::uuid, \(Secrets.uuid()), \(flow.challenge?.text),
      \(flow.challenge?.method.rawValue)::auth.code_challenge_method, \(flow.provider), \(flow.method), now(), now(),
      \(flow.referrer), \(flow.linkingUser)::uuid)
    """
  }

  /// A flow that has begun.
  struct Begun: Decodable, Sendable {
    var id: String
    var user: String?
    var code: String
    var challenge: String?
    var challengeMethod: String?
    var provider: String
    var method: String
    var referrer: String?
    var linkingUser: String?
    var providerToken: String?
    var providerRefreshToken: String?
    /// Seconds since it began.
    var age: Double
    /// Seconds since its code was given out.
    var codeAge: Double?
  }

  private static let begun = """
    jsonb_build_object(
      'id', f.id, 'user', f.user_id, 'code', f.auth_code, 'challenge', f.code_challenge,
      'challengeMethod', f.code_challenge_method, 'provider', f.provider_type, 'method', f.authentication_method,
      'referrer', f.referrer, 'linkingUser', f.linking_target_id, 'providerToken', f.provider_access_token,
      'providerRefreshToken', f.provider_refresh_token, 'age', \(AuthSQL.age("f.created_at")),
      'codeAge', \(AuthSQL.age("f.auth_code_issued_at")))
    """

  /// Columns: `Begun`.
  static func byID(_ id: String) -> SQLFragment {
    "SELECT \(raw: begun) FROM auth.flow_state f WHERE f.id = \(id)::uuid"
  }

  /// Columns: `Begun`.
  static func byCode(_ code: String) -> SQLFragment {
    "SELECT \(raw: begun) FROM auth.flow_state f WHERE f.auth_code = \(code) AND f.auth_code_issued_at IS NOT NULL"
  }

  /// The user's newest flow of that method whose code was not given out.
  private static func newestWaiting(method: String, user: SQLFragment) -> SQLFragment {
    """
    SELECT f.id FROM auth.flow_state f
    WHERE f.user_id = \(user) AND f.authentication_method = \(method)::text AND f.auth_code_issued_at IS NULL
      AND f.code_challenge IS NOT NULL
    ORDER BY f.created_at DESC LIMIT 1
    """
  }

  /// Columns: the id of the flow whose code would be given out.
  static func waiting(method: String, user: String) -> SQLFragment {
    newestWaiting(method: method, user: "\(user)::uuid")
  }

  /// A part that gives out the code of the user's newest flow of that method. It returns `code`.
  static func codeGivenOut(method: String) -> SQLFragment {
    """
    coded AS (
      UPDATE auth.flow_state SET auth_code_issued_at = now(), updated_at = now()
      WHERE id = (\(newestWaiting(method: method, user: "(SELECT changed.id FROM changed)")))
      RETURNING auth_code AS code)
    """
  }

  /// Gives out the code of a flow for a user, with what the provider has given. Columns: the code.
  static func giveOutCode(_ id: String, user: String, providerToken: String?, providerRefreshToken: String?)
    -> SQLFragment
  {
    """
    UPDATE auth.flow_state SET user_id = \(user)::uuid, auth_code_issued_at = now(), updated_at = now(),
      provider_access_token = \(providerToken)::text, provider_refresh_token = \(providerRefreshToken)::text
    WHERE id = \(id)::uuid AND auth_code_issued_at IS NULL
    RETURNING auth_code
    """
  }

  /// Ends a flow and opens a session; no row where somebody else has ended it.
  static func redeem(_ flow: Begun, session: SessionStatements.New, audit: AuditEntry) -> SQLFragment {
    """
    WITH done AS (DELETE FROM auth.flow_state WHERE id = \(flow.id)::uuid RETURNING user_id),
    who AS (
      UPDATE auth.users u SET last_sign_in_at = now(), updated_at = now() FROM done WHERE u.id = done.user_id
      RETURNING u.id),
    \(SessionStatements.opened(session, from: "who")),
    \(AuditStatements.logged(audit, from: "who"))
    SELECT id FROM who
    """
  }

  /// Ends a flow that needs no code; no row where it has ended.
  static func end(_ id: String) -> SQLFragment {
    "DELETE FROM auth.flow_state WHERE id = \(id)::uuid AND auth_code_issued_at IS NULL RETURNING id"
  }
}
