import Foundation
import SwiftwaterHTTP
import SwiftwaterSessions
import SwiftwaterStreams
import TestSupport
import Testing

@testable import Auth

@Suite("Where sessions are kept")
struct StorageTests {
  /// A folder that is removed when it is released.
  private final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "swiftwater-auth-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  static let layouts: [String] = [
    // supabase-swift's, with dates as Foundation writes them.
    #"{"accessToken":"a","tokenType":"bearer","expiresIn":3600,"expiresAt":1700003600,"refreshToken":"r","user":{"id":"\#(Sample.anna)","appMetadata":{"provider_id":"x"},"userMetadata":{"full_name":"Anna","plainName":1},"aud":"authenticated","createdAt":671198221.25,"updatedAt":671198221,"isAnonymous":false,"lastSignInAt":671198221.5,"factors":[{"id":"f","friendlyName":"app","factorType":"totp","status":"verified","createdAt":671198221,"updatedAt":671198221}]}}"#,
    // With dates as text.
    #"{"accessToken":"a","tokenType":"bearer","expiresIn":3600,"expiresAt":1700003600,"refreshToken":"r","user":{"id":"\#(Sample.anna)","appMetadata":{"provider_id":"x"},"userMetadata":{"full_name":"Anna","plainName":1},"aud":"authenticated","createdAt":"2022-04-09T11:57:01.25Z","updatedAt":"2022-04-09T11:57:01.123456789+00:00","lastSignInAt":"2022-04-09T11:57:01.5Z","factors":[{"id":"f","friendlyName":"app","factorType":"totp","status":"verified","createdAt":"2022-04-09T11:57:01Z","updatedAt":"2022-04-09T11:57:01Z"}]}}"#,
    // The wire's, as other SDKs store it.
    #"{"access_token":"a","token_type":"bearer","expires_in":3600,"expires_at":1700003600,"refresh_token":"r","user":{"id":"\#(Sample.anna)","app_metadata":{"provider_id":"x"},"user_metadata":{"full_name":"Anna","plainName":1},"aud":"authenticated","created_at":"2022-04-09T11:57:01.25Z","updated_at":"2022-04-09T11:57:01Z","last_sign_in_at":"2022-04-09T11:57:01.5Z","factors":[{"id":"f","friendly_name":"app","factor_type":"totp","status":"verified","created_at":"2022-04-09T11:57:01Z","updated_at":"2022-04-09T11:57:01Z"}]}}"#,
  ]

  @Test("Sessions that others have stored are read: Swift's names and the wire's, dates as numbers and as text")
  func layouts() async throws {
    for layout in Self.layouts + Self.layouts.map({ #"{"session":\#($0),"expirationDate":671198221}"# }) {
      let storage = InMemoryLocalStorage()
      storage.store(key: "supabase.auth.token", value: Data(layout.utf8))
      let world = try World(storage: storage)
      let session = try await world.client.session
      #expect(session.accessToken == "a" && session.refreshToken == "r")
      #expect(session.user.userMetadata == ["full_name": "Anna", "plainName": 1])
      #expect(session.user.appMetadata == ["provider_id": "x"])
      #expect(ISO8601.string(from: session.user.createdAt) == "2022-04-09T11:57:01.25Z")
      #expect(session.user.lastSignInAt.map { ISO8601.string(from: $0) } == "2022-04-09T11:57:01.5Z")
      #expect(session.user.factors?.first?.factorType == .totp && session.user.factors?.first?.friendlyName == "app")
      #expect(world.server.exchanges.isEmpty)
    }
  }

  @Test("A session is where the key says, or where releases before 2.6 have left it; signing out removes both")
  func keys() async throws {
    let storage = InMemoryLocalStorage()
    storage.store(key: "supabase.session", value: Data(Self.layouts[2].utf8))
    let world = try World(storage: storage, configure: { $0.storageKey = "sb-demo-auth-token" })
    #expect(world.client.currentSession?.accessToken == "a")
    #expect(storage.retrieve(key: "supabase.session") != nil, "reading changes nothing")
    world.server.answer { _ in .init(body: Sample.session(2)) }
    try await world.client.refreshSession()
    #expect(storage.retrieve(key: "sb-demo-auth-token") != nil && storage.retrieve(key: "supabase.session") == nil)
    try await world.client.signOut(scope: .local)
    #expect(storage.retrieve(key: "sb-demo-auth-token") == nil)
  }

  @Test("A storage that cannot be read signs nobody out, says so, and is read as soon as it can be")
  func unreadable() async throws {
    let storage = FaultyStorage()
    try storage.store(key: "supabase.auth.token", value: Data(SessionLayout.encode(Sample.stored())))
    storage.fail(reading: true)
    let world = try World(storage: storage, configure: { $0.autoRefreshToken = true })
    var changes = world.client.authStateChanges.makeAsyncIterator()
    let first = await changes.next()
    #expect(first?.event == .initialSession && first?.session == nil)
    #expect(first?.event.signOutReason == .storageUnreadable)
    #expect(first?.event.signOutReason?.error?.kind == .storage)
    #expect(first?.event.signOutReason?.error?.underlyingError is FaultyStorage.Locked)
    let error = await failure { try await world.client.session }
    #expect(error?.kind == .storage && error?.underlyingError is FaultyStorage.Locked)
    storage.fail()
    #expect(try storage.retrieve(key: "supabase.auth.token") != nil)
    #expect(
      await eventually {
        world.clock.advance(by: .seconds(30))
        return world.client.currentSession != nil
      })
    let second = await changes.next()
    #expect(second?.event == .signedIn && second?.session?.accessToken == "access-1")
  }

  @Test("A storage that is full is told of; the session holds, and is stored as soon as that works")
  func full() async throws {
    let storage = FaultyStorage()
    storage.fail(writing: true)
    let world = try World(storage: storage) { _ in .init(body: Sample.session()) }
    let error = await failure { try await world.client.signIn(email: "a@example.com", password: "pass-word") }
    #expect(error?.kind == .storage && error?.underlyingError is FaultyStorage.Locked)
    #expect(try await world.client.session.accessToken == "access-1")
    storage.fail()
    #expect(
      try await eventually {
        world.clock.advance(by: .seconds(30))
        return try storage.retrieve(key: "supabase.auth.token") != nil
      })
    #expect(try world.stored?.accessToken == "access-1")
    storage.fail(writing: true)
    #expect(await kind { try await world.client.signOut() } == .storage)
    #expect(world.client.currentSession == nil, "signed out all the same")
    #expect(world.server.lines.last == "POST /logout?scope=global")
  }

  @Test(
    "What is stored and no session is an error, is kept, and gives way to the next sign-in",
    arguments: ["", "{}", "null", "x", #"{"accessToken":"a"}"#])
  func garbage(content: String) async throws {
    let storage = InMemoryLocalStorage()
    storage.store(key: "supabase.auth.token", value: Data(content.utf8))
    let world = try World(storage: storage) { _ in .init(body: Sample.session()) }
    #expect(await kind { try await world.client.session } == .storage)
    #expect(storage.retrieve(key: "supabase.auth.token") == Data(content.utf8))
    try await world.client.signIn(email: "a@example.com", password: "pass-word")
    #expect(try world.stored?.accessToken == "access-1")
  }

  @Test("Files are read by their owner only, and by other clients and processes at once")
  func files() async throws {
    let folder = Folder()
    let storage = FileLocalStorage(folder: folder.path)
    try storage.store(key: "a", value: Data("1".utf8))
    #expect(try storage.retrieve(key: "a") == Data("1".utf8))
    try storage.remove(key: "a")
    #expect(try storage.retrieve(key: "a") == nil)
    let world = try World(storage: storage) { _ in .init(body: Sample.session()) }
    try await world.client.signIn(email: "a@example.com", password: "pass-word")
    let file = "\(folder.path)/supabase.auth.token"
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let other = try World(storage: FileLocalStorage(folder: folder.path))
    #expect(other.client.currentSession?.accessToken == "access-1")
    try await world.client.signOut(scope: .local)
    #expect(try await other.client.sessions.reload() == nil)
  }

  @Test("Two clients on the same files spend a refresh token once, as an app and its extension do", arguments: 1...5)
  func shared(round: Int) async throws {
    let folder = Folder()
    let spent = LockIsolated<[String]>([])
    let answer: FakeTransport.Answer = { exchange in
      let token = exchange.body?["refresh_token"]?.stringValue ?? ""
      let isFirst = spent.withLock { spent in
        spent.append(token)
        return spent.filter { $0 == token }.count == 1
      }
      return isFirst ? .init(body: Sample.session(2)) : .refusal(400, "refresh_token_already_used")
    }
    let first = try World(
      signedIn: Sample.stored(expiresIn: -10), storage: FileLocalStorage(folder: folder.path), answer: answer)
    let second = try World(storage: FileLocalStorage(folder: folder.path), answer: answer)
    async let one = first.client.session.accessToken
    async let two = second.client.session.accessToken
    let tokens = try await [one, two]
    #expect(tokens == ["access-2", "access-2"])
    #expect(spent.value == ["refresh-1"])
  }

  @Test("By default files lie in the program's own folder for state")
  func defaultFolder() {
    #expect(FileLocalStorage.defaultFolder(environment: ["XDG_STATE_HOME": "/state/"]).hasPrefix("/state/"))
    #expect(FileLocalStorage.defaultFolder(environment: ["XDG_STATE_HOME": "/s"]).hasSuffix("/supabase"))
    #expect(FileLocalStorage.defaultFolder(environment: ["XDG_STATE_HOME": "relative"]).contains("/.local/state/"))
    #expect(FileLocalStorage.defaultFolder(environment: [:]).hasPrefix("/"))
    #if os(Linux)
      #expect(AuthClient.Configuration.defaultLocalStorage is FileLocalStorage)
    #endif
  }

  @Test("A program on Linux needs an address and a key, and no more")
  func defaults() throws {
    let client = AuthClient(
      configuration: .init(
        url: try #require(URL(string: "https://demo.supabase.co/auth/v1")), headers: [.apikey: "key"],
        localStorage: InMemoryLocalStorage(), autoRefreshToken: false))
    #expect(client.configuration.flowType == .pkce && client.configuration.retryEnabled)
    #expect(client.currentSession == nil)
  }
}
