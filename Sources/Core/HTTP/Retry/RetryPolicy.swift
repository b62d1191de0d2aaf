/// Which requests are sent again, after what, and how often.
///
/// It is data: what the decisions are can be read off its members, and `RetryMiddleware` carries them out. A request
/// whose body can be read only once is never sent again.
public struct RetryPolicy: Sendable, Hashable {
  /// The methods whose requests are sent again after one of `statuses` and after a transient failure: no connection, a
  /// broken one, or an idle timeout.
  public var methods: Set<HTTPRequest.Method>
  /// The status codes after which a request is sent again; 429 only if the response has `Retry-After`.
  public var statuses: Set<Int>
  /// Whether requests of other methods are sent again when no connection came about: the server cannot have seen them.
  public var retriesUnsentRequests: Bool
  /// How often a request is sent at most, the first time included.
  public var attempts: Int
  /// The wait before each further attempt. A `Retry-After` wins over it, up to `backoff.cap`.
  public var backoff: Backoff

  /// Describes a policy.
  public init(
    methods: Set<HTTPRequest.Method>, statuses: Set<Int>, retriesUnsentRequests: Bool = false, attempts: Int,
    backoff: Backoff
  ) {
    self.methods = methods
    self.statuses = statuses
    self.retriesUnsentRequests = retriesUnsentRequests
    self.attempts = attempts
    self.backoff = backoff
  }

  /// Nothing is sent again.
  public static let never = RetryPolicy(
    methods: [], statuses: [], attempts: 1, backoff: Backoff(base: .zero, cap: .zero))
}
