public import SwiftwaterHTTP

/// When a ``CredentialManager`` renews its credential.
public struct CredentialConfiguration: Sendable {
  /// Nobody gets a credential that expires sooner than this without waiting for its refresh; 30 seconds unless set.
  ///
  /// For a credential that lives shortly it is a quarter of the lifetime at most.
  public var margin: Duration = .seconds(30)
  /// How long before the expiry the refresh in the background begins; 90 seconds unless set, and `margin` at least.
  ///
  /// For a credential that lives shortly it is half of the lifetime at most.
  public var lead: Duration = .seconds(90)
  /// How often a refresh is tried before those who wait for it get the error; 3 times unless set.
  public var attempts = 3
  /// The waits between attempts; and between refreshes in the background, and writes to the store, while they fail:
  /// there 50 milliseconds at least.
  public var backoff = Backoff(base: .milliseconds(500), cap: .seconds(30))
  /// Where refreshes, ends and failures are told.
  public var logger = ClientLogger(label: "swiftwater.sessions")

  /// The defaults.
  public init() {}
}
