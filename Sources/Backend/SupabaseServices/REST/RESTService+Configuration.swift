public import SwiftwaterTokens

extension RESTService {
  /// How the service presents a database. The names in parentheses are those of PostgREST's settings.
  public struct Configuration: Sendable {
    /// What becomes of a request's changes (`db-tx-end`).
    public enum TransactionEnd: Sendable {
      /// They stay.
      case commit
      /// They stay unless the request says `Prefer: tx=rollback`.
      case commitAllowingOverride
      /// They are undone.
      case rollback
      /// They are undone unless the request says `Prefer: tx=commit`.
      case rollbackAllowingOverride
    }

    /// What the description of the schema shows (`openapi-mode`).
    public enum Description: Sendable {
      /// What the caller's role may use.
      case followingPrivileges
      /// Everything.
      case ignoringPrivileges
      /// There is none.
      case disabled
    }

    /// The schemas that are exposed; the first is the default (`db-schemas`).
    public var schemas: [String]
    /// Schemas whose types, operators and functions need no prefix (`db-extra-search-path`).
    public var extraSearchPath = ["public"]
    /// Whether the database has the last word (`db-config`): what `ALTER ROLE authenticator SET pgrst.db_schemas = …`
    /// says of `db_schemas`, `db_extra_search_path`, `db_max_rows`, `db_aggregates_enabled`, `db_plan_enabled`,
    /// `db_pre_request` and `openapi_mode` counts from the next `NOTIFY pgrst` on.
    public var readsDatabaseSettings = true
    /// The role of requests without a token (`db-anon-role`); nil to refuse them.
    public var anonymousRole: String?
    /// Which tokens are believed (`jwt-secret`, `jwt-aud`, `jwt-cache-max-entries`).
    public var tokens: JWTSettings
    /// Where their claims name the role (`jwt-role-claim-key`).
    public var rolePath = JWTClaimPath.role
    /// No answer has more rows, nor any list in it (`db-max-rows`); nil for any number.
    public var maximumRows: Int?
    /// Whether `select` may add up: `price.sum()` (`db-aggregates-enabled`).
    public var allowsAggregates = false
    /// Whether requests may ask how PostgreSQL would answer them (`db-plan-enabled`).
    public var allowsPlans = false
    /// A function of no arguments that runs before each request, in its transaction: `schema.name` (`db-pre-request`).
    public var preRequest: String?
    /// A function that answers `/` (`db-root-spec`).
    public var rootFunction: String?
    /// Settings that each request's transaction has: `app.settings.name`.
    public var settings: [(name: String, value: String)] = []
    /// What becomes of a request's changes.
    public var transactionEnd = TransactionEnd.commitAllowingOverride
    /// Whether connections keep the plans of statements (`db-prepared-statements`).
    public var preparesStatements = true
    /// What the description of the schema shows.
    public var description = Description.followingPrivileges
    /// Whether answers say how long their parts took (`server-timing-enabled`).
    public var reportsTiming = false
    /// A field of requests that comes back in answers, such as `X-Request-Id` (`server-trace-header`).
    public var traceField: String?
    /// Whether errors leave out details and hints (`client-error-verbosity`).
    public var isTerse = false
    /// Whether a filter finds an embedded relation under its own name although the request has given it another
    /// (`url-use-legacy-target-names`).
    public var usesLegacyTargetNames = true

    /// - Parameters:
    ///   - schemas: `public` unless given.
    ///   - anonymousRole: `anon` unless given.
    ///   - tokens: which are believed.
    public init(schemas: [String] = ["public"], anonymousRole: String? = "anon", tokens: JWTSettings) {
      self.schemas = schemas
      self.anonymousRole = anonymousRole
      self.tokens = tokens
    }
  }
}
