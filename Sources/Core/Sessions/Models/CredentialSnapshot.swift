/// What a ``CredentialManager`` held at one moment, so that something can be done only if nobody has signed in or out,
/// or renewed it, since.
///
/// Descriptions and mirrors leave the credential out.
public struct CredentialSnapshot<Credential: Sendable>: Sendable {
  /// The credential, good or expired; nil if there was none.
  public let credential: Credential?
  let number: Int
}

extension CredentialSnapshot: CustomStringConvertible, CustomReflectable {
  /// Whether there was one.
  public var description: String { credential == nil ? "absent" : "present" }

  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
