/// Pieces that several statements are made of.
enum AuthSQL {
  /// A time as clients read it: RFC 3339 with microseconds, in UTC.
  static func time(_ column: String) -> String {
    #"to_char(\#(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"#
  }

  /// Seconds since a time.
  static func age(_ column: String) -> String { "extract(epoch FROM now() - \(column))::float8" }

  /// `Account` of a row `u` of `auth.users`, as `jsonb`.
  static let account = """
    jsonb_build_object(
      'id', u.id, 'audience', u.aud, 'role', u.role, 'email', nullif(u.email, ''), 'phone', nullif(u.phone, ''),
      'isEmailConfirmed', u.email_confirmed_at IS NOT NULL, 'isPhoneConfirmed', u.phone_confirmed_at IS NOT NULL,
      'isBanned', coalesce(u.banned_until > now(), false), 'isAnonymous', u.is_anonymous, 'isSSO', u.is_sso_user,
      'isDeleted', u.deleted_at IS NOT NULL,
      'hasPassword', coalesce(u.encrypted_password, '') <> '',
      'emailChange', nullif(u.email_change, ''), 'phoneChange', nullif(u.phone_change, ''),
      'emailChangeStatus', coalesce(u.email_change_confirm_status, 0),
      'sent', jsonb_build_object(
        'confirmation', \(age("u.confirmation_sent_at")), 'recovery', \(age("u.recovery_sent_at")),
        'emailChange', \(age("u.email_change_sent_at")), 'phoneChange', \(age("u.phone_change_sent_at")),
        'reauthentication', \(age("u.reauthentication_sent_at"))),
      'appMetadata', coalesce(u.raw_app_meta_data, '{}'), 'userMetadata', coalesce(u.raw_user_meta_data, '{}'),
      'identities', (
        SELECT coalesce(jsonb_agg(
          jsonb_build_object('id', i.id, 'provider', i.provider)), '[]')
        FROM auth.identities i WHERE i.user_id = u.id),
      'factors', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
          'id', f.id, 'kind', f.factor_type, 'name', f.friendly_name, 'phone', f.phone,
          'isVerified', f.status = 'verified') ORDER BY f.created_at), '[]')
        FROM auth.mfa_factors f WHERE f.user_id = u.id),
      'profile', \(profile))
    """

  /// What clients see of a row `u` of `auth.users`.
  static let profile = """
    jsonb_strip_nulls(jsonb_build_object(
      'id', u.id, 'aud', coalesce(u.aud, ''), 'role', coalesce(u.role, ''), 'email', coalesce(u.email, ''),
      'phone', coalesce(u.phone, ''), 'email_confirmed_at', \(time("u.email_confirmed_at")),
      'phone_confirmed_at', \(time("u.phone_confirmed_at")), 'confirmed_at', \(time("u.confirmed_at")),
      'invited_at', \(time("u.invited_at")), 'confirmation_sent_at', \(time("u.confirmation_sent_at")),
      'recovery_sent_at', \(time("u.recovery_sent_at")), 'new_email', nullif(u.email_change, ''),
      'email_change_sent_at', \(time("u.email_change_sent_at")), 'new_phone', nullif(u.phone_change, ''),
      'phone_change_sent_at', \(time("u.phone_change_sent_at")),
      'reauthentication_sent_at', \(time("u.reauthentication_sent_at")),
      'last_sign_in_at', \(time("u.last_sign_in_at")), 'created_at', \(time("u.created_at")),
      'updated_at', \(time("u.updated_at")), 'banned_until', \(time("u.banned_until")),
      'deleted_at', \(time("u.deleted_at")), 'is_anonymous', u.is_anonymous))
    || jsonb_build_object(
      'app_metadata', coalesce(u.raw_app_meta_data, '{}'), 'user_metadata', coalesce(u.raw_user_meta_data, '{}'),
      'identities', (
        SELECT coalesce(jsonb_agg(\(identity) ORDER BY i.created_at, i.id), '[]')
        FROM auth.identities i WHERE i.user_id = u.id))
    || coalesce((
      SELECT jsonb_build_object('factors', jsonb_agg(\(factor) ORDER BY f.created_at))
      FROM auth.mfa_factors f WHERE f.user_id = u.id HAVING count(*) > 0), '{}')
    """

  /// What clients see of a row `i` of `auth.identities`.
  static let identity = """
    (jsonb_strip_nulls(jsonb_build_object(
      'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'provider', i.provider, 'email', i.email,
      'last_sign_in_at', \(time("i.last_sign_in_at")), 'created_at', \(time("i.created_at")),
      'updated_at', \(time("i.updated_at")))) || jsonb_build_object('identity_data', i.identity_data))
    """

  /// What clients see of a row `f` of `auth.mfa_factors`.
  static let factor = """
    jsonb_strip_nulls(jsonb_build_object(
      'id', f.id, 'status', f.status, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type,
      'phone', f.phone, 'created_at', \(time("f.created_at")), 'updated_at', \(time("f.updated_at")),
      'last_challenged_at', \(time("f.last_challenged_at"))))
    """

  /// `SessionState` of a row `s` of `auth.sessions`, as `jsonb`.
  static let session = """
    jsonb_build_object(
      'id', s.id, 'age', coalesce(\(age("s.created_at")), 0), 'level', coalesce(s.aal::text, 'aal1'),
      'methods', (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
          'method', a.authentication_method, 'timestamp', floor(extract(epoch FROM a.updated_at))::bigint)
          ORDER BY a.updated_at DESC), '[]')
        FROM auth.mfa_amr_claims a WHERE a.session_id = s.id))
    """

  /// GoTrue's name for the only instance there is.
  static let instance = "'00000000-0000-0000-0000-000000000000'::uuid"
}
