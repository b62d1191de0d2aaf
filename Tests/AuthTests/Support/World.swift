import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

/// A client with its world.
struct World {
  let server: FakeTransport
  let storage: any AuthLocalStorage
  let clock = ManualClock()
  let client: AuthClient

  /// - Parameters:
  ///   - session: Somebody who has signed in before.
  ///   - skew: How far this device's clock is ahead.
  init(
    signedIn session: Session? = nil, storage: any AuthLocalStorage = InMemoryLocalStorage(),
    skew: Double = 0, answer: @escaping FakeTransport.Answer = { _ in FakeTransport.Reply() },
    configure: (inout AuthClient.Configuration) -> Void = { _ in }
  ) throws {
    server = FakeTransport(answer)
    self.storage = storage
    if let session {
      try storage.store(key: "supabase.auth.token", value: Data(SessionLayout.encode(session)))
    }
    var configuration = AuthClient.Configuration(
      url: try #require(URL(string: "http://server.test/auth/v1")), headers: [.apikey: "key"], localStorage: storage,
      http: .init(transport: server), autoRefreshToken: false, logger: .disabled, clock: clock)
    configure(&configuration)
    client = AuthClient(
      configuration: configuration,
      date: { [clock] in Sample.epoch.addingTimeInterval(skew + clock.now.offset / .seconds(1)) })
  }

  /// What is in the storage.
  var stored: Session? {
    get throws {
      try storage.retrieve(key: "supabase.auth.token").map { try SessionLayout.decode(Array($0)) }
    }
  }
}

/// The kind of the error that the call throws; nil if it throws none, or another one.
func kind(_ call: () async throws -> some Sendable) async -> AuthError.Kind? { await failure(call)?.kind }

/// The error that the call throws; nil if it throws none, or another one.
func failure(_ call: () async throws -> some Sendable) async -> AuthError? {
  do {
    _ = try await call()
    return nil
  } catch {
    return error as? AuthError
  }
}
