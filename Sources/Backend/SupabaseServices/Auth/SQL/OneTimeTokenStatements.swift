/// What a one-time token is for, by the names that `auth.one_time_tokens` has for it.
enum TokenPurpose: String, Decodable, Sendable {
  case confirmation = "confirmation_token"
  case recovery = "recovery_token"
  case emailChangeNew = "email_change_token_new"
  case emailChangeCurrent = "email_change_token_current"
  case phoneChange = "phone_change_token"
  case reauthentication = "reauthentication_token"

  /// When the last one was sent, as a column of `auth.users`.
  fileprivate var dateColumn: String {
    switch self {
    case .confirmation: "confirmation_sent_at"
    case .recovery: "recovery_sent_at"
    case .emailChangeNew, .emailChangeCurrent: "email_change_sent_at"
    case .phoneChange: "phone_change_sent_at"
    case .reauthentication: "reauthentication_sent_at"
    }
  }
}

/// Statements about `auth.one_time_tokens` and what following a token does.
enum OneTimeTokenStatements {
  /// Keeps a token in place of the user's last one for the purpose.
  ///
  /// - Parameters:
  ///   - seal: what the database gets to see of it.
  ///   - recipient: where the token goes.
  ///   - change: what else is set in the user's row: `column = value, `.
  static func issue(
    _ purpose: TokenPurpose, for user: String, seal: String, recipient: String, setting change: SQLFragment = ""
  ) -> SQLFragment {
    """
    WITH owner AS (SELECT id FROM auth.users WHERE id = \(user)::uuid FOR UPDATE),
    made AS (
      INSERT INTO auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
      SELECT gen_random_uuid(), id, \(purpose.rawValue)::auth.one_time_token_type, \(seal)::text, \(recipient)::text,
        timezone('utc', now()), timezone('utc', now())
      FROM owner
      ON CONFLICT (user_id, token_type) DO UPDATE SET
        token_hash = excluded.token_hash, relates_to = excluded.relates_to, created_at = excluded.created_at,
        updated_at = excluded.updated_at
      RETURNING user_id)
    UPDATE auth.users SET \(change)\(raw: purpose.rawValue) = \(seal), \(raw: purpose.dateColumn) = now(),
      updated_at = now()
    FROM made WHERE id = made.user_id
    """
  }

  /// A token that somebody presents.
  struct Presented: Decodable, Sendable {
    var id: String
    /// What the database has of it.
    var seal: String
    var purpose: TokenPurpose
    /// Where it went.
    var recipient: String
    /// Seconds since then.
    var age: Double
  }

  /// Columns: `Account`, `Presented`.
  static func find(seals: [String], purposes: [TokenPurpose]) -> SQLFragment {
    """
    SELECT \(raw: AuthSQL.account), jsonb_build_object(
      'id', t.id, 'seal', t.token_hash, 'purpose', t.token_type, 'recipient', t.relates_to,
      'age', extract(epoch FROM timezone('utc', now()) - t.created_at)::float8)
    FROM auth.one_time_tokens t JOIN auth.users u ON u.id = t.user_id
    WHERE t.token_hash = ANY (\(texts: seals)) AND t.token_type::text = ANY (\(texts: purposes.map(\.rawValue)))
    ORDER BY t.created_at DESC LIMIT 1
    """
  }

  /// Takes a token and does what it is for; no row where that is not what it was any more: somebody else has taken it,
  /// another took its place, or the address that it proves is not the user's, or not the one that is to become it.
  ///
  /// - Parameters:
  ///   - condition: what else must hold of the user's row `u`.
  ///   - effect: the columns that it changes in the user's row, beside those of the token.
  ///   - parts: what hangs off that, in a `WITH` whose part `changed` returns the user's `id`.
  static func take(
    _ token: Presented, of user: String, if condition: SQLFragment, effect: SQLFragment, then parts: SQLFragment
  ) -> SQLFragment {
    // The user's row is locked first, here and in `issue`, so that nothing of this changes before the end.
    """
    WITH owner AS (
      SELECT u.id FROM auth.users u
      WHERE u.id = \(user)::uuid AND \(proven(token)) AND \(condition) FOR UPDATE),
    taken AS (
      DELETE FROM auth.one_time_tokens t USING owner
      WHERE t.id = \(token.id)::uuid AND t.user_id = owner.id AND t.token_hash = \(token.seal)
        AND t.relates_to = \(token.recipient)
      RETURNING t.user_id),
    changed AS (
      UPDATE auth.users u SET \(effect), \(raw: token.purpose.rawValue) = '', updated_at = now()
      FROM taken WHERE u.id = taken.user_id
      RETURNING u.id),
    \(parts)
    SELECT id FROM changed
    """
  }

  /// Whether the address that a token went to is still the one that it speaks for.
  private static func proven(_ token: Presented) -> SQLFragment {
    switch token.purpose {
    case .emailChangeNew: "u.email_change = \(token.recipient)"
    case .phoneChange: "u.phone_change = \(token.recipient)"
    case .confirmation, .recovery, .emailChangeCurrent, .reauthentication:
      "\(token.recipient)::text IN (u.email, u.phone)"
    }
  }

  /// Columns that forget every token.
  static let forgetsAll: SQLFragment = """
    confirmation_token = '', recovery_token = '', email_change_token_new = '', email_change_token_current = '',
    email_change = '', email_change_confirm_status = 0, phone_change_token = '', phone_change = '',
    reauthentication_token = '',
    """

  /// Columns that confirm the address.
  static let confirmsEmail: SQLFragment = """
    email_confirmed_at = coalesce(email_confirmed_at, now()), is_anonymous = false,
    raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
      || CASE WHEN raw_user_meta_data ? 'email_verified' THEN '{"email_verified": true}'::jsonb ELSE '{}' END
    """

  /// Columns that confirm the phone number.
  static let confirmsPhone: SQLFragment = """
    phone_confirmed_at = coalesce(phone_confirmed_at, now()), is_anonymous = false,
    raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
      || CASE WHEN raw_user_meta_data ? 'phone_verified' THEN '{"phone_verified": true}'::jsonb ELSE '{}' END
    """

  /// Columns that put the new address in the old one's place.
  static let changesEmail: SQLFragment = """
    email = nullif(email_change, ''), email_change = '', email_change_confirm_status = 0,
    email_confirmed_at = now(), is_anonymous = false,
    raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
      || jsonb_build_object('email', email_change, 'email_verified', true)
    """

  /// Columns that put the new number in the old one's place.
  static let changesPhone: SQLFragment = """
    phone = nullif(phone_change, ''), phone_change = '', phone_confirmed_at = now(), is_anonymous = false
    """

  /// A part that marks the identity of the address as confirmed.
  static func verifiedIdentity(_ provider: String) -> SQLFragment {
    """
    verified AS (
      UPDATE auth.identities i SET
        identity_data = i.identity_data || jsonb_build_object(\("\(provider)_verified")::text, true),
        last_sign_in_at = now(), updated_at = now()
      FROM changed WHERE i.user_id = changed.id AND i.provider = \(provider)::text)
    """
  }

  /// Forgets a user's tokens for a purpose.
  static func forget(_ purposes: [TokenPurpose], of user: String) -> SQLFragment {
    """
    DELETE FROM auth.one_time_tokens
    WHERE user_id = \(user)::uuid AND token_type::text = ANY (\(texts: purposes.map(\.rawValue)))
    """
  }
}
