public import SupabaseServices

extension LocalBackend {
  /// What a backend keeps where, and whom it trusts.
  public struct Configuration: Sendable {
    /// Where the rows lie.
    public enum Storage: Sendable, Hashable {
      /// In a new folder that is removed when the backend stops.
      case temporary
      /// In this folder, made when it is missing, to be found again next time.
      case folder(String)
      /// In a PostgreSQL server that runs already, by its `postgresql://` URL or libpq connection string. Where its user
      /// is a superuser and there is a role `authenticator`, requests may do what that role may, and nothing else.
      case database(String)
    }

    /// The address to listen on. `127.0.0.1` is reachable from this machine only; any other wants a `jwtSecret` of your
    /// own.
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port: Int
    /// Where the rows lie.
    public var storage: Storage
    /// A folder of `*.sql` files that are applied in the order of their names, each once; nil for none.
    public var migrations: String?
    /// An SQL file that is run after the migrations, once; nil for none.
    public var seed: String?
    /// Whether roles, schemas and grants that the services need are created where they are missing. By default they are,
    /// but not in a database that the backend does not own.
    public var preparesDatabase: Bool
    /// Signs the keys and verifies tokens (HS256); at least 32 bytes.
    public var jwtSecret: String
    /// More keys that tokens are believed by: a JSON Web Key Set of public keys (RS256, ES256) or secrets, or a single
    /// such key; nil for none.
    public var jwtKeys: String?
    /// Signs the access tokens of users in place of the secret (ES256): a private JSON Web Key of the curve P-256. Others
    /// verify them by `/auth/v1/.well-known/jwks.json`. Nil signs with the secret.
    public var jwtSigningKey: String?
    /// How users register and sign in.
    public var auth = AuthService.Configuration()
    /// Takes mails and text messages to users. Nil keeps them in the inbox in development mode; otherwise requests that
    /// want one fail.
    public var messageDelivery: (any MessageDelivery)?
    /// Whether whoever reaches the backend is trusted as its developer. Only programs of this machine do, and pages whose
    /// `Origin` is: others are refused. Nil means: with data of its own and the `developmentSecret`, which everybody knows.
    ///
    /// Where that secret is used, `Host` and `Origin` are checked in any case.
    public var isDevelopment: Bool?
    /// Is called before each SQL file that is applied.
    public var onProgress: (@Sendable (Progress) -> Void)?
    /// Is called with the path of each migration or seed that was applied once and has been changed since. It is not run
    /// again; `resetDatabase(_:)` applies it anew.
    public var onChangedFile: (@Sendable (_ path: String) -> Void)?

    /// A free port and throw-away data unless told otherwise.
    public init(
      port: Int = 0, storage: Storage = .temporary, migrations: String? = nil, preparesDatabase: Bool? = nil,
      jwtSecret: String = developmentSecret
    ) {
      self.port = port
      self.storage = storage
      self.migrations = migrations
      if case .database = storage {
        self.preparesDatabase = preparesDatabase ?? false
      } else {
        self.preparesDatabase = true
      }
      self.jwtSecret = jwtSecret
    }

    /// The secret that local Supabase projects share. Everybody knows it: it protects nothing, and keys made with it work
    /// in every local project.
    public static let developmentSecret = "super-secret-jwt-token-with-at-least-32-characters-long"
  }
}

extension LocalBackend.Configuration {
  /// Whether the mode is on, however that was decided.
  var trustsDevelopers: Bool {
    if let isDevelopment { return isDevelopment }
    if case .database = storage { return false }
    return hasKnownSecret
  }

  /// Whether everybody can sign tokens.
  var hasKnownSecret: Bool { jwtSecret == Self.developmentSecret }

  /// Whether requests that may come from strangers' pages are refused.
  var isGuarded: Bool { trustsDevelopers || hasKnownSecret }

  /// Fails for what would let strangers in.
  func checkExposure() throws(LocalBackendError) {
    guard !DevelopmentGuard.isLoopback(host) else { return }
    if hasKnownSecret {
      throw LocalBackendError(
        code: .invalidConfiguration,
        message: "Everybody knows the development secret, and others can reach \(host): give a JWT secret of your own.")
    }
    if trustsDevelopers {
      throw LocalBackendError(
        code: .invalidConfiguration,
        message: "Development mode trusts whoever reaches the backend, and others can reach \(host): turn it off.")
    }
  }
}
