public import Auth
public import FoundationEssentials
internal import Helpers
internal import PostgREST
internal import SwiftwaterStreams

/// A Supabase project: its users, tables and functions.
///
/// ```swift
/// let supabase = try SupabaseClient(supabaseURL: url, supabaseKey: key)
/// try await supabase.auth.signIn(email: email, password: password)
/// let todos: [Todo] = try await supabase.from("todos").select().execute().value
/// ```
///
/// All modules speak for whoever is signed in, or as the key says while nobody is. If the session has to be renewed and
/// cannot be, their requests fail with an error of the kind `.accessToken`: they never go out as nobody's by mistake.
///
/// A client with a secret key (`service_role`, `sb_secret_…`) always speaks for the project and stores no session, whoever
/// signs in with it.
///
/// Threading: a client may be used from anywhere at once. Releasing it ends its work in the background.
public final class SupabaseClient: Sendable {
  /// The project's address.
  public let supabaseURL: URL
  /// How the client was set up.
  public let configuration: Configuration

  private let key: ProjectKey
  private let ownAuth: AuthClient?
  let database: PostgrestClient

  /// A client of the project at `supabaseURL`. No request is sent, and no session read, before something is asked of it.
  ///
  /// - Parameters:
  ///   - supabaseURL: such as `https://project.supabase.co` or `http://127.0.0.1:54321`.
  ///   - supabaseKey: the project's publishable or `anon` key; a secret one on servers only.
  ///   - configuration: everything has a default.
  /// - Throws: `SupabaseClientError` where address or key cannot be those of a project.
  public convenience init(
    supabaseURL: URL, supabaseKey: String, configuration: Configuration = Configuration()
  ) throws {
    let key = try ProjectKey(supabaseKey)
    guard let scheme = supabaseURL.scheme?.lowercased(), scheme == "http" || scheme == "https",
      supabaseURL.host(percentEncoded: false)?.isEmpty == false
    else {
      throw SupabaseClientError(
        kind: .invalidURL,
        message: "The project's address needs a scheme and a host, as in https://project.supabase.co.")
    }
    if key.isUnknown {
      (configuration.global.logger ?? supabaseDefaultLogger(label: "io.supabase.client"))
        .log(.warning, "the key begins with sb_ and is neither sb_publishable_ nor sb_secret_")
    }
    if let provider = configuration.auth.accessToken {
      self.init(supabaseURL, key, configuration, .provider(provider), auth: nil)
    } else {
      let auth = AuthClient(configuration: configuration.authConfiguration(supabaseURL, key))
      self.init(supabaseURL, key, configuration, key.isSecret ? .key : .session(auth), auth: auth)
    }
  }

  private init(
    _ url: URL, _ key: ProjectKey, _ configuration: Configuration, _ tokens: AccessTokenSource, auth: AuthClient?
  ) {
    (supabaseURL, self.key, self.configuration, ownAuth) = (url, key, configuration, auth)
    database = PostgrestClient(
      configuration: configuration.databaseConfiguration(url, key),
      accessToken: AccessTokenMiddleware { try await tokens.token() })
  }

  /// A client that speaks for one user, whose token a request to your server has brought. It costs microseconds, shares
  /// the connections, keeps no session, and does not look at the token: the project's services do.
  ///
  /// ```swift
  /// let user = supabase.withAccessToken(token)
  /// let todos: [Todo] = try await user.from("todos").select().execute().value
  /// ```
  public func withAccessToken(_ token: String) -> SupabaseClient {
    SupabaseClient(supabaseURL, key, configuration, .fixed(token), auth: nil)
  }

  /// Users and sessions.
  ///
  /// Of no use for a client whose tokens come from elsewhere, by `Configuration.Auth.accessToken` or
  /// ``withAccessToken(_:)``: nobody is signed in there, and every request of it throws `AuthError` of the kind
  /// `.invalidRequest`.
  public var auth: AuthClient {
    if let ownAuth { return ownAuth }
    var unavailable = configuration.authConfiguration(supabaseURL, key)
    unavailable.localStorage = InMemoryLocalStorage()
    unavailable.autoRefreshToken = false
    unavailable.http.middlewares = [UnavailableAuth()]
    return AuthClient(configuration: unavailable)
  }

  /// Takes an address that an app was opened by, and signs in by it in the background; see `AuthClient.handle(_:)`.
  public func handle(_ url: URL) { auth.handle(url) }
}
