internal import SwiftwaterHTTP

/// What the audit log says of something that was done.
struct AuditEntry: Sendable {
  /// What was done, and of which kind of entry that is, in GoTrue's names.
  struct Action: Sendable {
    let name: String
    let kind: String

    private init(_ name: String, _ kind: String) { (self.name, self.kind) = (name, kind) }

    static let login = Action("login", "account")
    static let logout = Action("logout", "account")
    static let userSignedUp = Action("user_signedup", "team")
    static let userRepeatedSignUp = Action("user_repeated_signup", "user")
    static let userInvited = Action("user_invited", "team")
    static let userDeleted = Action("user_deleted", "team")
    static let userModified = Action("user_modified", "user")
    static let userRecoveryRequested = Action("user_recovery_requested", "user")
    static let userReauthenticateRequested = Action("user_reauthenticate_requested", "user")
    static let userConfirmationRequested = Action("user_confirmation_requested", "user")
    static let userUpdatePassword = Action("user_updated_password", "user")
    static let tokenRefreshed = Action("token_refreshed", "token")
    static let tokenRevoked = Action("token_revoked", "token")
    static let identityLinked = Action("identity_linked", "user")
    static let identityUnlinked = Action("identity_unlinked", "user")
    static let factorInProgress = Action("factor_in_progress", "factor")
    static let factorUnenrolled = Action("factor_unenrolled", "factor")
    static let factorDeleted = Action("factor_deleted", "recovery_codes")
    static let factorUpdated = Action("factor_updated", "factor")
    static let challengeCreated = Action("challenge_created", "factor")
    static let verificationAttempted = Action("verification_attempted", "factor")
  }

  var action: Action
  var actorID: String
  var actorName: String
  var traits: JSONValue?
  var address: String

  /// The entry as it is kept.
  var payload: JSONValue {
    var payload: JSONValue = [
      "action": .string(action.name), "actor_id": .string(actorID), "actor_username": .string(actorName),
      "actor_via_sso": false, "log_type": .string(action.kind),
    ]
    if let traits { payload["traits"] = traits }
    return payload
  }
}

/// Statements about `auth.audit_log_entries`.
enum AuditStatements {
  /// A part of a `WITH` that writes an entry for each row of another part.
  static func logged(_ entry: AuditEntry, from source: String) -> SQLFragment {
    """
    logged AS (
      INSERT INTO auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
      SELECT \(raw: AuthSQL.instance), gen_random_uuid(), \(entry.payload.description)::json, now(),
        left(\(entry.address)::text, 64)
      FROM \(raw: source))
    """
  }

  static func insert(_ entry: AuditEntry) -> SQLFragment {
    """
    INSERT INTO auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    VALUES (\(raw: AuthSQL.instance), gen_random_uuid(), \(entry.payload.description)::json, now(),
      left(\(entry.address)::text, 64))
    """
  }

  /// Columns: an entry as clients see it; how many there are.
  ///
  /// - Parameters:
  ///   - members: of the payload, any of which must contain the text; nil for all entries.
  static func page(_ page: Int, size: Int, members: [String], text: String?) -> SQLFragment {
    """
    SELECT jsonb_build_object(
        'id', a.id, 'payload', a.payload, 'created_at', \(raw: AuthSQL.time("a.created_at")),
        'ip_address', a.ip_address), count(*) OVER ()
    FROM auth.audit_log_entries a
    WHERE \(text)::text IS NULL OR EXISTS (
      SELECT FROM unnest(\(texts: members)) member
      WHERE position(lower(\(text)::text) IN lower(coalesce(a.payload ->> member, ''))) > 0)
    ORDER BY a.created_at DESC
    LIMIT \(size)::int OFFSET \((page - 1) * size)::bigint
    """
  }
}
