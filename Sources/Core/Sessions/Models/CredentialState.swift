/// What a ``CredentialManager`` holds.
///
/// Descriptions and mirrors leave the credential out.
public enum CredentialState<Credential: Sendable>: Sendable {
  /// The store has not been read yet, or could not be for this reason.
  case unread(CredentialError?)
  /// There is a credential. It may have expired, for instance while there is no network; then `trouble` tells why it
  /// has not been renewed yet.
  ///
  /// - Parameter trouble: What last went wrong with renewing or storing it; nil once that has succeeded.
  case present(Credential, trouble: CredentialError?)
  /// There is none.
  case absent(CredentialEnd)

  /// The credential, if there is one.
  public var credential: Credential? {
    if case .present(let credential, _) = self { credential } else { nil }
  }
}

extension CredentialState: CustomStringConvertible, CustomReflectable {
  /// The case and what went wrong, without the credential.
  public var description: String {
    switch self {
    case .unread(let error): error.map { "unread (\($0))" } ?? "unread"
    case .present(_, let trouble): trouble.map { "present (\($0))" } ?? "present"
    case .absent(let end): "absent (\(end))"
    }
  }

  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
