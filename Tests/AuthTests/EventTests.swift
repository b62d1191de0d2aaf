import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth
@testable import SwiftwaterSessions

@Suite("What happens to the session is told")
struct EventTests {
  @Test("Each consumer is told at once what there is, also if it has expired and there is no network")
  func initial() async throws {
    let offline: FakeTransport.Answer = { _ in throw HTTPError(kind: .connectionFailed, message: "no network") }
    let expired = try World(signedIn: Sample.stored(expiresIn: -10_000), answer: offline)
    for _ in 0..<3 {
      var changes = expired.client.authStateChanges.makeAsyncIterator()
      let change = await changes.next()
      #expect(change?.event == .initialSession && change?.event.signOutReason == nil)
      #expect(change?.session?.accessToken == "access-1" && change?.session?.isExpired == true)
    }
    #expect(expired.server.exchanges.isEmpty, "nobody is asked for that")
    let nobody = try World(answer: offline)
    var changes = nobody.client.authStateChanges.makeAsyncIterator()
    let change = await changes.next()
    #expect(change?.event == .initialSession && change?.session == nil)
    #expect(change?.event.signOutReason == .sessionMissing)
  }

  @Test("While the background reads the storage as well, nobody is told that nobody is signed in")
  func start() async throws {
    let stored = try Sample.stored()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<400 {
        group.addTask {
          let world = try World(signedIn: stored, configure: { $0.autoRefreshToken = true })
          var changes = world.client.authStateChanges.makeAsyncIterator()
          return await changes.next()?.session?.accessToken == "access-1"
        }
      }
      for try await isSignedIn in group { #expect(isSignedIn) }
    }
  }

  @Test("Signing in, renewing, changing, proving, signing out: all are told in order, to all")
  func order() async throws {
    let world = try World { exchange in
      switch exchange.path {
      case "/token" where exchange.line.contains("refresh"): .init(body: Sample.session(2))
      case "/token": .init(body: Sample.session(1))
      case "/user": .init(body: Sample.user(email: "b@example.com"))
      case "/logout": .init(status: 204)
      default: .init(body: Sample.session(3))
      }
    }
    let client = world.client
    let consumers = (0..<3).map { _ in client.authStateChanges.makeAsyncIterator() }
    try await client.signIn(email: "a@example.com", password: "pass-word")
    try await client.refreshSession()
    try await client.update(user: UserAttributes(email: "b@example.com"))
    try await client.mfa.verify(params: .init(factorId: "f", challengeId: "c", code: "123456"))
    try await client.signOut()
    for var consumer in consumers {
      var told: [String] = []
      while told.last?.hasPrefix("SIGNED_OUT") != true, let (event, session) = await consumer.next() {
        told.append("\(event.rawValue) \(session?.accessToken ?? "-") \(event.signOutReason?.rawValue ?? "")")
      }
      #expect(
        told == [
          "INITIAL_SESSION - session-missing", "SIGNED_IN access-1 ", "TOKEN_REFRESHED access-2 ",
          "USER_UPDATED access-2 ", "MFA_CHALLENGE_VERIFIED access-3 ", "SIGNED_OUT - user-initiated",
        ])
    }
  }

  @Test("Code that was written for tuples, cases and listeners goes on working")
  func spelling() async throws {
    let world = try World { _ in .init(body: Sample.session()) }
    let client = world.client
    let heard = LockIsolated<[String]>([])
    let registration = await client.onAuthStateChange { event, session in
      heard.withLock { $0.append("\(event.rawValue) \(session?.accessToken ?? "-")") }
    }
    #expect(await eventually { heard.value == ["INITIAL_SESSION -"] })
    let reader = Task {
      for await (event, session) in client.authStateChanges {
        switch event {
        case .signedIn: return session?.user.email
        case .signedOut: return nil
        default: continue
        }
      }
      return nil
    }
    let other = Task {
      for await state in client.authStateChanges
      where [.initialSession, .signedIn, .signedOut].contains(state.event) && state.session != nil {
        return state.session?.accessToken
      }
      return nil
    }
    #expect(await eventually { client.sessions.core.events.consumerCount == 3 })
    try await client.signIn(email: "a@example.com", password: "pass-word")
    #expect(await reader.value == "anna@example.com")
    #expect(await other.value == "access-1")
    #expect(await eventually { heard.value.last == "SIGNED_IN access-1" })
    registration.remove()
    registration.remove()
    #expect(await eventually { client.tasks.count == 0 })
  }

  @Test("The session itself can be followed: what it is, then each newer one, no failure twice")
  func updates() async throws {
    let world = try World(signedIn: Sample.stored()) { exchange in
      exchange.path == "/token" ? .init(body: Sample.session(2)) : .init(status: 204)
    }
    var updates = world.client.sessionUpdates.makeAsyncIterator()
    #expect(await updates.next()??.accessToken == "access-1")
    try await world.client.refreshSession()
    #expect(await updates.next()??.accessToken == "access-2")
    world.server.answer { _ in .init(status: 500) }
    #expect(await kind { try await world.client.refreshSession() } == .server)
    world.server.answer { _ in .init(status: 204) }
    try await world.client.signOut()
    let last = await updates.next()
    #expect(last == .some(nil), "signed out, and nothing told of the failure")
  }

  @Test("What another process does is told: a newer token, another user, a sign-out")
  func otherProcess() async throws {
    let world = try World(signedIn: Sample.stored())
    var changes = world.client.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    let key = "supabase.auth.token"
    try world.storage.store(key: key, value: Data(SessionLayout.encode(Sample.stored(2))))
    try await world.client.sessions.reload()
    var change = await changes.next()
    #expect(change?.event == .tokenRefreshed && change?.session?.accessToken == "access-2")
    try world.storage.store(key: key, value: Data(SessionLayout.encode(Sample.stored(3, user: Sample.berta))))
    try await world.client.sessions.reload()
    change = await changes.next()
    #expect(change?.event == .signedIn && change?.session?.accessToken == "access-3")
    try world.storage.remove(key: key)
    try await world.client.sessions.reload()
    change = await changes.next()
    #expect(change?.event == .signedOut && change?.event.signOutReason == .sessionMissing)
  }

  @Test("A link for a lost password is told as such")
  func recovery() async throws {
    let world = try World { _ in .init(body: Sample.session()) }
    var changes = world.client.authStateChanges.makeAsyncIterator()
    _ = await changes.next()
    try await world.client.verifyOTP(email: "a@example.com", token: "123456", type: .recovery)
    #expect(await changes.next()?.event == .signedIn)
    #expect(await changes.next()?.event == .passwordRecovery)
  }
}
