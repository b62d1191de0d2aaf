/// What was found in the store.
enum StoredCredential<Credential: Sendable>: Sendable {
  case nothing
  case credential(Credential, CredentialValidity?, [UInt8])
  /// Bytes that are no credential.
  case garbage([UInt8], CredentialError)
  case unreadable(CredentialError)
}

/// What the store is taken to hold.
enum StoreContent: Sendable, Equatable {
  case unknown
  case exactly([UInt8]?)
}

/// How a write has ended.
enum WriteOutcome<Credential: Sendable>: Sendable {
  case written
  /// The store held something else than expected, and nothing was written.
  case differs(StoredCredential<Credential>)
  case failed(CredentialError)
}
