extension RetryPolicy {
  /// Auth: reads after a refusal that may pass, everything else only if no connection came about.
  package static let auth = RetryPolicy(
    methods: [.get], statuses: passingStatuses, retriesUnsentRequests: true, attempts: 3,
    backoff: Backoff(base: .milliseconds(500), cap: .seconds(20)))

  /// PostgREST: reads while the database or the gateway is away.
  package static let postgrest = RetryPolicy(
    methods: [.get, .head], statuses: [503, 520], attempts: 4,
    backoff: Backoff(base: .seconds(1), cap: .seconds(30)))

  /// Storage: reads, and listings, which are POSTs that say so themselves (`HTTPRequest.retry`).
  package static let storage = RetryPolicy(
    methods: [.get, .head, .options], statuses: passingStatuses, attempts: 3,
    backoff: Backoff(base: .milliseconds(500), cap: .seconds(20)))

  private static let passingStatuses: Set<Int> = [408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530]
}
