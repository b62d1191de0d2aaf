public import Auth
public import FoundationEssentials
public import Helpers
public import PostgREST

extension SupabaseClient {
  /// How a client and its modules are set up. What a module's part sets wins over `global`; what neither sets has the
  /// module's own default.
  public struct Configuration: Sendable {
    /// Tables and functions.
    public var database: Database
    /// Users and sessions.
    public var auth: Auth
    /// What all modules share.
    public var global: Global

    /// Everything has a default.
    public init(database: Database = Database(), auth: Auth = Auth(), global: Global = Global()) {
      self.database = database
      self.auth = auth
      self.global = global
    }
  }
}

extension SupabaseClient.Configuration {
  /// The part of tables and functions; see `PostgrestClient.Configuration`.
  public struct Database: Sendable {
    /// The schema to work in; nil for the server's default.
    public var schema: String?
    /// Whether reads are tried again while the server is away.
    public var retryEnabled: Bool
    /// Writes rows.
    public var encoder: JSONEncoder
    /// Reads rows.
    public var decoder: JSONDecoder
    /// Another transport and timeout than the global ones; its middlewares run behind the global ones. Nil for none.
    public var http: HTTPClientConfiguration?
    /// Another logger than the global one.
    public var logger: ClientLogger?
    /// Another clock than the global one.
    public var clock: (any Clock<Duration>)?

    /// Everything has a default.
    public init(
      schema: String? = nil, retryEnabled: Bool = true,
      encoder: JSONEncoder = PostgrestClient.Configuration.jsonEncoder,
      decoder: JSONDecoder = PostgrestClient.Configuration.jsonDecoder, http: HTTPClientConfiguration? = nil,
      logger: ClientLogger? = nil, clock: (any Clock<Duration>)? = nil
    ) {
      self.schema = schema
      self.retryEnabled = retryEnabled
      self.encoder = encoder
      self.decoder = decoder
      self.http = http
      self.logger = logger
      self.clock = clock
    }
  }

  /// The part of users and sessions; see `AuthClient.Configuration`.
  public struct Auth: Sendable {
    /// How sign-ins come back from a browser or a mail.
    public var flowType: AuthFlowType
    /// Where browsers and mails lead back to, where a call does not say.
    public var redirectToURL: URL?
    /// The session's key in the storage; nil for `sb-<first part of the project's host>-auth-token`.
    public var storageKey: String?
    /// Where the session is kept. A client with a secret key keeps none, wherever that is.
    public var localStorage: any AuthLocalStorage
    /// Whether the session is renewed in the background.
    public var autoRefreshToken: Bool
    /// Whether requests are tried again.
    public var retryEnabled: Bool
    /// Gives the tokens of another issuer, for projects whose users do not sign in with Supabase Auth; nil from it stands
    /// for the key. It is asked for every attempt of every request, so it returns a token that it keeps and renews.
    /// `SupabaseClient.auth` is not available then.
    public var accessToken: (@Sendable () async throws -> String?)?
    /// Another transport and timeout than the global ones; its middlewares run behind the global ones. Nil for none.
    public var http: HTTPClientConfiguration?
    /// Another logger than the global one.
    public var logger: ClientLogger?
    /// Another clock than the global one.
    public var clock: (any Clock<Duration>)?

    /// Everything has a default.
    public init(
      flowType: AuthFlowType = .pkce, redirectToURL: URL? = nil, storageKey: String? = nil,
      localStorage: any AuthLocalStorage = AuthClient.Configuration.defaultLocalStorage,
      autoRefreshToken: Bool = true, retryEnabled: Bool = true,
      accessToken: (@Sendable () async throws -> String?)? = nil, http: HTTPClientConfiguration? = nil,
      logger: ClientLogger? = nil, clock: (any Clock<Duration>)? = nil
    ) {
      self.flowType = flowType
      self.redirectToURL = redirectToURL
      self.storageKey = storageKey
      self.localStorage = localStorage
      self.autoRefreshToken = autoRefreshToken
      self.retryEnabled = retryEnabled
      self.accessToken = accessToken
      self.http = http
      self.logger = logger
      self.clock = clock
    }
  }

  /// What all modules share.
  public struct Global: Sendable {
    /// Sent with every request; a field set for one call wins, and an `Authorization` here over every token.
    public var headers: HTTPFields
    /// The HTTP stack.
    public var http: HTTPClientConfiguration
    /// The logger; nil for one of each module's own, `io.supabase.<module>`.
    public var logger: ClientLogger?
    /// Measures and waits.
    public var clock: any Clock<Duration>
    /// Whether, on Apple's platforms, modules rest while the app is not active.
    public var observesAppLifecycle: Bool

    /// Everything has a default.
    public init(
      headers: HTTPFields = [:], http: HTTPClientConfiguration = .default, logger: ClientLogger? = nil,
      clock: any Clock<Duration> = ContinuousClock(), observesAppLifecycle: Bool = true
    ) {
      self.headers = headers
      self.http = http
      self.logger = logger
      self.clock = clock
      self.observesAppLifecycle = observesAppLifecycle
    }

    /// The stack of a module: its own transport and timeout if it has them, the global middlewares, then its own. Those of
    /// the SDK follow in the module.
    func http(merging module: HTTPClientConfiguration?) -> HTTPClientConfiguration {
      guard let module else { return http }
      var merged = module
      merged.middlewares = http.middlewares + module.middlewares
      return merged
    }
  }
}
