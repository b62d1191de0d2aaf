/// What has happened to a ``CredentialManager``'s credential.
///
/// Descriptions and mirrors leave the credential out.
public enum CredentialEvent<Credential: Sendable>: Sendable {
  /// It was found in the store.
  case loaded(Credential)
  /// This program has set it.
  case set(Credential)
  /// The server has renewed it.
  case refreshed(Credential)
  /// This program has changed parts of it.
  case updated(Credential)
  /// Somebody else, such as another process, has put a newer one into the store.
  case adopted(Credential)
  /// There is none any more.
  case ended(CredentialEnd)
  /// It could not be renewed this time, and is kept.
  case refreshFailed(CredentialError)
  /// It could not be read from the store or written to it.
  case storeFailed(CredentialError)

  /// The credential that is now in force, where the event is about one.
  public var credential: Credential? {
    switch self {
    case .loaded(let credential), .set(let credential), .refreshed(let credential), .updated(let credential),
      .adopted(let credential):
      credential
    case .ended, .refreshFailed, .storeFailed: nil
    }
  }
}

extension CredentialEvent: CustomStringConvertible, CustomReflectable {
  /// The case and what went wrong, without the credential.
  public var description: String {
    switch self {
    case .loaded: "loaded"
    case .set: "set"
    case .refreshed: "refreshed"
    case .updated: "updated"
    case .adopted: "adopted"
    case .ended(let end): "ended (\(end))"
    case .refreshFailed(let error): "refreshFailed (\(error))"
    case .storeFailed(let error): "storeFailed (\(error))"
    }
  }

  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
