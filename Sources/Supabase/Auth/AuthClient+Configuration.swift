public import FoundationEssentials
public import Helpers

extension AuthClient {
  /// Where the auth server is, how to speak with it, and where the session is kept.
  public struct Configuration: Sendable {
    /// The server's address: `https://project.supabase.co/auth/v1`.
    public var url: URL
    /// Sent with every request; a field set for one request wins.
    public var headers: HTTPFields
    /// How sign-ins come back from a browser or a mail; by a code unless set.
    public var flowType: AuthFlowType
    /// Where browsers and mails lead back to, where a call does not say.
    public var redirectToURL: URL?
    /// The session's key in the storage; `supabase.auth.token` if nil. Clients of several projects need keys of their
    /// own.
    public var storageKey: String?
    /// Where the session is kept: in the Keychain on Apple's platforms, elsewhere in files of this program, unless set.
    public var localStorage: any AuthLocalStorage
    /// The HTTP stack.
    public var http: HTTPClientConfiguration
    /// Whether requests are tried again, three times in all with waits from half a second up to twenty: reads after a
    /// refusal that may pass and after a lost connection, all others only if no connection came about.
    public var retryEnabled: Bool
    /// Whether the session is renewed in the background, before it expires. On demand it is renewed anyway.
    public var autoRefreshToken: Bool
    /// Whether, on Apple's platforms, the background's renewals stop while the app is not active, and the session is
    /// looked at again when it becomes so.
    public var observesAppLifecycle: Bool
    /// Told of traffic at `trace`, of sessions that end at `notice`, of failures at `error`, without secrets.
    public var logger: ClientLogger
    /// Measures how long sessions last, and waits. It should go on while the device sleeps, as the default does.
    public var clock: any Clock<Duration>

    /// Everything but the address has a default.
    public init(
      url: URL, headers: HTTPFields = [:], flowType: AuthFlowType = .pkce, redirectToURL: URL? = nil,
      storageKey: String? = nil, localStorage: any AuthLocalStorage = Configuration.defaultLocalStorage,
      http: HTTPClientConfiguration = .default, retryEnabled: Bool = true, autoRefreshToken: Bool = true,
      observesAppLifecycle: Bool = true, logger: ClientLogger = supabaseDefaultLogger(label: "io.supabase.auth"),
      clock: any Clock<Duration> = ContinuousClock()
    ) {
      self.url = url
      self.headers = headers
      self.flowType = flowType
      self.redirectToURL = redirectToURL
      self.storageKey = storageKey
      self.localStorage = localStorage
      self.http = http
      self.retryEnabled = retryEnabled
      self.autoRefreshToken = autoRefreshToken
      self.observesAppLifecycle = observesAppLifecycle
      self.logger = logger
      self.logger.metadata["system"] = "auth"
      self.clock = clock
    }

    /// Where sessions are kept unless told otherwise: the Keychain on Apple's platforms, elsewhere files.
    public static var defaultLocalStorage: any AuthLocalStorage {
      #if canImport(Security)
        KeychainLocalStorage()
      #else
        FileLocalStorage()
      #endif
    }

    /// A new encoder that writes what the server reads.
    public static var jsonEncoder: JSONEncoder {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601Microseconds
      return encoder
    }

    /// A new decoder that reads what the server writes.
    public static var jsonDecoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601Microseconds
      return decoder
    }

    var resolvedStorageKey: String { storageKey ?? "supabase.auth.token" }
  }
}
