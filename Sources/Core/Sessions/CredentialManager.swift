public import FoundationEssentials
public import SwiftwaterStreams

/// Keeps one credential good: renews it before it expires, once for all who need it, and stores it.
///
/// ```swift
/// let manager = CredentialManager(scheme, store: FileCredentialStore(folder: folder, key: "session"))
/// manager.startAutoRefresh()
/// let session = try await manager.credential()
/// ```
///
/// - One refresh serves all: whoever needs a credential while one is being renewed waits for that. A waiter who is
///   cancelled leaves the others and the refresh alone.
/// - Only the server ends a session. What fails otherwise, such as the network, is tried again with growing waits and
///   keeps the credential; the next who asks tries anew.
/// - What the program says is final: after ``set(_:)`` and ``clear(_:)`` a refresh that is late changes nothing.
/// - Processes that share a store take turns. Each refresh token is spent by one of them, and the others adopt what
///   came of it.
/// - Threading: every member may be called from any thread. Releasing the manager stops it as ``shutDown()`` does,
///   without waiting.
public final class CredentialManager<Credential: Sendable>: Sendable, CustomReflectable {
  let core: CredentialCore<Credential>
  @usableFromInline let ready: ReadyCredential<Credential>

  /// A manager that has not read its store yet.
  ///
  /// - Parameters:
  ///   - scheme: What kind of credential it is.
  ///   - store: Where it is kept.
  ///   - configuration: When it is renewed.
  ///   - clock: Measures how long credentials last, and waits. It should go on while the device sleeps, as the default
  ///     does.
  ///   - date: The time of day. It matters for credentials from the store only, and only until the first refresh.
  public init(
    _ scheme: CredentialScheme<Credential>, store: any CredentialStore,
    configuration: CredentialConfiguration = CredentialConfiguration(),
    clock: any Clock<Duration> = ContinuousClock(), date: @escaping @Sendable () -> Date = { Date() }
  ) {
    core = CredentialCore(scheme, store: store, configuration: configuration, clock: clock, date: date)
    ready = core.ready
  }

  deinit {
    core.retire()
    core.endStreams()
  }

  // MARK: - Following

  /// What there is: the latest, then every change that a consumer has time for.
  public var state: StateStream<CredentialState<Credential>, Never> { core.state.values }

  /// What happens from now on. Each iteration is a consumer of its own.
  ///
  /// - Parameter bufferingPolicy: What happens to events that this consumer has not read yet.
  public func events(
    bufferingPolicy: EventBufferingPolicy = .unbounded
  ) -> EventStream<CredentialEvent<Credential>, Never> {
    core.events.events(bufferingPolicy: bufferingPolicy)
  }

  // MARK: - Asking

  /// The credential in memory, good or expired; nil if there is none.
  ///
  /// Reads a ``SynchronousCredentialStore`` if nobody has tried yet. With another store, and where that fails, it is
  /// nil until ``load()`` or another call has read it.
  public var current: Credential? {
    core.readImmediately()
    return core.look { $0.held?.credential }
  }

  /// The credential, if it is in memory and need not be renewed; nil otherwise. Takes a lock, and allocates nothing.
  @inlinable public var valid: Credential? { ready.credential }

  /// The credential as it is, good or expired, from the store if nobody has read that yet; nil if there is none.
  ///
  /// - Throws: ``CredentialError`` with code `storeUnreadable`, `undecodable` or `shutDown`; `CancellationError`.
  public func load() async throws -> Credential? { try await ask(.loaded) }

  /// A credential that is good for the configured margin, renewed if need be.
  ///
  /// If the server cannot be reached, one that has not expired yet will do.
  ///
  /// - Throws: ``CredentialError`` with code `absent`, `refused` or `refreshFailed`, or for the store;
  ///   `CancellationError` at once when the task is cancelled, which the refresh and its other waiters do not notice.
  @inlinable
  public func credential() async throws -> Credential {
    if let credential = valid { return credential }
    return try await renewed()
  }

  /// A credential other than one that a server has just rejected, although it should be good.
  ///
  /// - Parameter isRejected: Whether it is that one, for instance by its token. If not, somebody has renewed it
  ///   meanwhile.
  /// - Throws: As ``credential()`` does.
  public func credential(replacingIf isRejected: (Credential) -> Bool) async throws -> Credential {
    let credential = try await credential()
    guard isRejected(credential) else { return credential }
    let adopted = try await another(thanRejected: isRejected)
    // Another process may have stored other parts of it with the same token.
    guard isRejected(adopted) else { return adopted }
    return try await another(thanRejected: isRejected)
  }

  /// Renews the credential, although it may be good; or waits for the refresh that is under way.
  ///
  /// Where another process has renewed it meanwhile, that is the result.
  ///
  /// - Throws: As ``credential()`` does.
  @discardableResult
  public func refresh() async throws -> Credential { try present(try await ask(.another(than: nil))) }

  // MARK: - Running

  /// Renews the credential in the background from now on, before it expires and again after failures.
  public func startAutoRefresh() {
    core.decide { machine, _, _ in machine.isAutomatic = !machine.isRetired }
  }

  /// Renews the credential on demand only. A refresh that is under way goes on.
  public func stopAutoRefresh() {
    core.decide { machine, _, _ in machine.isAutomatic = false }
  }

  /// Stops for good: nothing new is begun, and ``state`` and ``events(bufferingPolicy:)`` end.
  ///
  /// Waits for a refresh that is under way, so that a token that the server has just issued is stored before a program
  /// ends; or returns when the task is cancelled.
  public func shutDown() async {
    core.retire()
    _ = try? await core.wait { machine, waiter, _, _ in machine.awaitRest(waiter) }
    core.endStreams()
  }

  /// A mirror that shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }

  // MARK: - Steps

  @usableFromInline
  func renewed() async throws -> Credential { try present(try await ask(.valid)) }

  private func another(thanRejected isRejected: (Credential) -> Bool) async throws -> Credential {
    let number = core.look { $0.held?.number }
    // Between the two looks it may have been renewed.
    if let current = valid, !isRejected(current) { return current }
    return try present(try await ask(.another(than: number)))
  }

  private func ask(_ want: CredentialMachine<Credential>.Want) async throws -> Credential? {
    try await core.wait { machine, waiter, moment, actions in machine.demand(waiter, want, at: moment, &actions) }
  }

  /// Those who want a credential are told by an error that there is none.
  private func present(_ credential: Credential?) throws -> Credential {
    guard let credential else { throw CredentialError.superseded }
    return credential
  }
}
