internal import SwiftwaterPostgres

extension AuthError {
  /// What the database's trouble means for whoever asked. PostgreSQL's words may quote values, so they stay inside,
  /// except where a trigger of the project's own fails.
  init(_ error: PostgresError) {
    switch (error.code, error.sqlState) {
    case (.unavailable, _), (.connectionFailed, _), (.exhausted, _), (.closed, _):
      self.init(503, .unexpectedFailure, "The database does not answer. Try again later.")
      retryAfter = 1
    case (.invalidStatement, _), (_, "22021"?), (_, "22P05"?):
      self = .invalid("A text holds what PostgreSQL cannot store, such as a zero byte.")
    case (_, "23505"?) where error.constraintName == "users_email_partial_key": self = .emailExists
    case (_, "23505"?) where error.constraintName?.hasPrefix("users_phone") == true: self = .phoneExists
    case (_, _?) where error.context?.contains("PL/pgSQL function") == true:
      // A trigger of the project's own: its author needs to know.
      self = .unexpected("Database error saving new user: \(error.message)")
    case (_, "22001"?), (_, "22003"?): self = .invalid("A value is longer or larger than may be stored.")
    // What a statement refers to has gone since the request looked.
    case (_, "23503"?) where error.constraintName?.contains("session") == true:
      self.init(403, .sessionNotFound, "Session from session_id claim in JWT does not exist")
    case (_, "23503"?) where error.constraintName?.contains("factor") == true: self = .factorNotFound
    case (_, "23503"?): self = .userNotFound
    case (_, "23505"?) where error.constraintName == "users_pkey":
      self.init(422, .userAlreadyExists, "A user with this id has already been registered")
    case (_, "23505"?) where error.constraintName?.hasPrefix("identities_") == true:
      self.init(422, .identityAlreadyExists, "Identity is already linked to another user")
    case (_, "23505"?), (_, "40P01"?), (_, "40001"?):
      self.init(409, .conflict, "Another request has changed the same at once. Try again.")
    case (_, "42P01"?), (_, "3F000"?), (_, "42883"?), (_, "42703"?):
      self = .unexpected(
        "The database lacks what Auth needs in its schema auth. Start the backend with --prepare to have it made.")
    case (_, "42501"?):
      self = .unexpected("The backend's database user may not use the schema auth.")
    default:
      self = .unexpected("Database error (SQLSTATE \(error.sqlState ?? "none"))")
    }
  }
}
