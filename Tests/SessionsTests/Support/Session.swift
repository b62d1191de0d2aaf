import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterSessions
import SwiftwaterStreams
import TestSupport

/// The credential of these tests. Its token counts up with each refresh.
struct Session: Codable, Sendable, Equatable {
  var token: Int
  var user = "anna"
  var lifetime = 3600
  var expiresAt: Date

  init(token: Int, user: String = "anna", expiresIn seconds: Double = 3600, lifetime: Int = 3600) {
    self.token = token
    self.user = user
    self.lifetime = lifetime
    expiresAt = Epoch.date.addingTimeInterval(seconds)
  }

  var bytes: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }

  init(_ bytes: [UInt8]?) throws {
    self = try JSONDecoder().decode(Session.self, from: Data(bytes ?? []))
  }
}

/// When the manual clocks of these tests begin.
enum Epoch {
  static let date = Date(timeIntervalSince1970: 1_000_000)
}

/// What the server of these tests says when it does not renew.
enum ServerError: Error, Equatable {
  case status(Int, retryAfter: Int? = nil)
  case noNetwork
  case timeout
  case notJSON(String)
}

/// A server in memory that renews each token once.
final class Server: Sendable {
  private struct State {
    var spent: [Int] = []
    var failures: [any Error] = []
    var running = 0
    var mostRunning = 0
    var cancelled = 0
  }

  /// Requests wait for it.
  let gate = Gate()
  private let state = LockIsolated(State())

  /// The tokens that were spent, in order.
  var spent: [Int] { state.withLock { $0.spent } }
  /// Requests under way.
  var running: Int { state.withLock { $0.running } }
  var mostRunning: Int { state.withLock { $0.mostRunning } }
  var cancelled: Int { state.withLock { $0.cancelled } }

  /// Lets the next requests fail, one by one, before their token is spent.
  func fail(_ errors: any Error...) { state.withLock { $0.failures += errors } }

  func refresh(_ session: Session, clock: ManualClock, lifetime: Int, skew: Double) async throws -> Session {
    state.withLock {
      $0.running += 1
      $0.mostRunning = max($0.mostRunning, $0.running)
    }
    defer { state.withLock { $0.running -= 1 } }
    do { try await gate.pass() } catch {
      state.withLock { $0.cancelled += 1 }
      throw error
    }
    try state.withLock { state in
      if !state.failures.isEmpty { throw state.failures.removeFirst() }
      guard !state.spent.contains(session.token) else { throw ServerError.status(400) }
      state.spent.append(session.token)
    }
    let now = clock.now.offset / .seconds(1) + skew
    return Session(
      token: session.token + 1, user: session.user, expiresIn: now + Double(lifetime), lifetime: lifetime)
  }
}

/// A door that a test opens and closes.
final class Gate: Sendable {
  private let isOpen = StateSource<Bool, Never>(true)

  func close() { isOpen.send(false) }
  func open() { isOpen.send(true) }

  func pass() async throws {
    for await isOpen in isOpen.values where isOpen { return }
    throw CancellationError()
  }
}

/// A manager with its world.
struct World {
  let server = Server()
  let clock = ManualClock()
  let store: any CredentialStore
  let manager: CredentialManager<Session>

  /// - Parameters:
  ///   - skew: How far the server's clock is ahead of this side's.
  init(
    store: any CredentialStore = MemoryCredentialStore(), lifetime: Int = 3600, skew: Double = 0,
    configure: (inout CredentialConfiguration) -> Void = { _ in }
  ) {
    self.store = store
    var configuration = CredentialConfiguration()
    configuration.backoff = Backoff(base: .seconds(1), cap: .seconds(30), jitter: .none)
    configuration.logger = .disabled
    configure(&configuration)
    manager = CredentialManager(
      .session(server, clock, lifetime: lifetime, skew: skew), store: store, configuration: configuration,
      clock: clock, date: { [clock] in Epoch.date.addingTimeInterval(clock.now.offset / .seconds(1)) })
  }

  /// A world in which somebody has signed in before.
  init(
    stored session: Session, lifetime: Int = 3600, skew: Double = 0,
    configure: (inout CredentialConfiguration) -> Void = { _ in }
  ) throws {
    self.init(
      store: MemoryCredentialStore(try session.bytes), lifetime: lifetime, skew: skew, configure: configure)
  }

  /// What is in the store.
  var stored: Session? {
    get async throws { try await store.load().map { try Session($0) } }
  }
}

extension CredentialScheme<Session> {
  static func session(
    _ server: Server, _ clock: ManualClock, lifetime: Int = 3600, skew: Double = 0
  ) -> CredentialScheme {
    CredentialScheme(
      validity: { CredentialValidity(expiresAt: $0.expiresAt, lifetime: .seconds($0.lifetime)) },
      refresh: { try await server.refresh($0, clock: clock, lifetime: lifetime, skew: skew) },
      classify: { error in
        switch error as? ServerError {
        case .status(400, _), .status(401, _): .refused
        case .status(429, let seconds?): .transient(retryAfter: .seconds(seconds))
        default: .transient()
        }
      })
  }
}

/// The code of the error that the call throws; nil if it throws none, or another one.
func code(_ call: () async throws -> some Sendable) async -> CredentialError.Code? {
  do {
    _ = try await call()
    return nil
  } catch {
    return (error as? CredentialError)?.code
  }
}
