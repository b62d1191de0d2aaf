public import FoundationEssentials
public import SupabaseServices
internal import SwiftwaterCurl
internal import SwiftwaterHTTPServer
internal import SwiftwaterPostgres
internal import SwiftwaterTokens

/// A backend for Swift apps that runs inside this process: real PostgreSQL behind the protocols that the SDKs speak.
///
/// ```swift
/// let backend = try await LocalBackend.start()
/// try await backend.execute("create table todos (id serial primary key, task text not null)")
/// // … clients of backend.restURL …
/// await backend.stop()
/// ```
///
/// Without further ado it listens on a free port of the loopback interface and keeps its data in a throw-away folder,
/// so tests can run as many of them as they like side by side. When the process ends without `stop()`, even by SIGKILL,
/// PostgreSQL is stopped all the same.
///
/// Threading: may be used from anywhere at once.
public final class LocalBackend: Sendable {
  /// Whether whoever reaches the backend is trusted as its developer (`Configuration.isDevelopment`).
  public let isDevelopment: Bool
  /// Where the backend listens: `http://127.0.0.1:54321`.
  public let url: URL
  /// The key of callers who have not signed in: a token with the role `anon`.
  public let anonKey: String
  /// The key that passes row-level security: a token with the role `service_role`. Never ship it in an app.
  public let serviceRoleKey: String
  /// How PostgreSQL is reached, as a libpq connection string.
  public let databaseConnection: String

  /// The mails and text messages to users that were kept instead of sent, newest first, in development mode.
  public var inbox: [AuthMessage] { storedInbox?.messages ?? [] }

  /// Where that is listed; nil where messages are not kept.
  public var inboxURL: URL? { storedInbox == nil ? nil : url.appending(path: "inbox") }

  private let storedInbox: Inbox?
  private let database: Database
  private let server: HTTPServer
  private let watching: Task<Void, Never>

  /// Where tables are served as PostgREST does, for `PostgrestClient`.
  public var restURL: URL { url.appending(path: "rest/v1") }

  /// Where users register and sign in as with GoTrue.
  public var authURL: URL { url.appending(path: "auth/v1") }

  private init(
    _ configuration: Configuration, database: Database, server: HTTPServer, watching: Task<Void, Never>, inbox: Inbox?
  ) throws(LocalBackendError) {
    // The address that means "all" is none to connect to.
    let host = ["0.0.0.0", "::"].contains(configuration.host) ? "127.0.0.1" : configuration.host
    guard let url = URL(string: "http://\(host.contains(":") ? "[\(host)]" : host):\(server.port)") else {
      throw LocalBackendError(code: .cannotListen, message: "The server has no port.")
    }
    self.url = url
    isDevelopment = configuration.trustsDevelopers
    anonKey = Keys.sign(role: "anon", secret: configuration.jwtSecret)
    serviceRoleKey = Keys.sign(role: "service_role", secret: configuration.jwtSecret)
    databaseConnection = database.server.connection
    storedInbox = inbox
    self.database = database
    self.server = server
    self.watching = watching
  }

  deinit { watching.cancel() }

  /// Starts PostgreSQL and the services and returns when they answer.
  ///
  /// - Throws: `LocalBackendError`; `CancellationError` when the task is cancelled. Whatever was started until then has
  ///   been stopped again.
  public static func start(_ configuration: Configuration = Configuration()) async throws -> LocalBackend {
    do {
      try configuration.checkExposure()
      let keys = try Keys.verifying(configuration)
      let database = try await Database.open(configuration)
      do {
        return try await start(configuration, on: database, keys)
      } catch {
        // In a task of its own, which the caller's cancellation does not reach.
        await Task { await database.close() }.value
        throw error
      }
    } catch {
      throw LocalBackendError.wrap(error)
    }
  }

  /// Starts a backend, calls `body` with it, and stops it whatever happens.
  ///
  /// - Throws: as `start(_:)`, and what `body` throws.
  public static func with<Result>(
    _ configuration: Configuration = Configuration(), _ body: (LocalBackend) async throws -> Result
  ) async throws -> Result {
    let backend = try await start(configuration)
    do {
      let result = try await body(backend)
      await backend.stop()
      return result
    } catch {
      await backend.stop()
      throw error
    }
  }

  private static func start(
    _ configuration: Configuration, on database: Database, _ keys: JWTKeySet
  ) async throws -> LocalBackend {
    try await Migrations.apply(configuration, to: database.administration)
    let rest = RESTService(pool: database.requests, configuration: restConfiguration(keys))
    // Owned by the backend, whose stop and deinit cancel it.
    let watching = Task { [connection = database.server.connection] in
      await rest.watchSchema(connection: connection)
    }
    var settings = HTTPServer.Configuration()
    settings.host = configuration.host
    settings.port = configuration.port
    settings.sharedLoop = database.loop
    let inbox = configuration.trustsDevelopers && configuration.messageDelivery == nil ? Inbox() : nil
    let auth = try authService(configuration, on: database, keys, inbox)
    let routes = Routes(rest: rest, auth: auth, inbox: inbox, isGuarded: configuration.isGuarded)
    let server = HTTPServer(configuration: settings, handler: routes.handler)
    do {
      try await rest.prepare()
      try await server.start()
      let backend = try LocalBackend(
        configuration, database: database, server: server, watching: watching, inbox: inbox)
      auth.listens(at: backend.authURL.absoluteString)
      return backend
    } catch {
      watching.cancel()
      throw error
    }
  }

  private static func restConfiguration(_ keys: JWTKeySet) -> RESTService.Configuration {
    var rest = RESTService.Configuration(tokens: JWTSettings(keys: keys))
    // As in a Supabase project.
    rest.extraSearchPath = ["public", "extensions"]
    return rest
  }

  private static func authService(
    _ configuration: Configuration, on database: Database, _ keys: JWTKeySet, _ inbox: Inbox?
  ) throws -> AuthService {
    AuthService(
      pool: database.auth, passwordPool: database.passwords,
      tokens: AuthTokens(secret: configuration.jwtSecret, key: try Keys.signing(configuration), keys: keys),
      configuration: configuration.auth, delivery: configuration.messageDelivery ?? inbox,
      providerTransport: configuration.auth.providers.isEmpty ? nil : providerTransport(),
      isDevelopment: configuration.trustsDevelopers)
  }

  private static func providerTransport() -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    // Nobody but the provider is to get what is sent to it.
    configuration.redirects = .none
    return CurlTransport(configuration: configuration)
  }

  /// Runs SQL as the database's owner: one statement or several, without parameters, all or nothing unless they begin and
  /// commit transactions of their own.
  ///
  /// - Throws: `LocalBackendError` with PostgreSQL's own words and the line; `CancellationError`.
  public func execute(_ sql: String) async throws {
    do {
      try await database.administration.executeScript(sql)
    } catch {
      throw LocalBackendError.wrap(error)
    }
  }

  /// Answers what has been asked, then stops the services and PostgreSQL. Calling it again does nothing.
  ///
  /// It runs to its end also in a cancelled task, since cancellation is what often leads here.
  public func stop() async {
    await Task { [server, database, watching] in
      watching.cancel()
      await server.stop()
      await database.close()
    }.value
  }
}
