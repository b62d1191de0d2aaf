/// Sends requests again as its policy says.
///
/// A repeated request carries `X-Retry-Count`, which counts from 1. The wait between attempts ends with
/// `CancellationError` at once when the task is cancelled. When all attempts are used up the last answer or error is the
/// caller's.
public struct RetryMiddleware: ClientMiddleware {
  private let policy: RetryPolicy
  private let clock: any Clock<Duration>

  /// Retries by a policy, waiting on a clock.
  public init(policy: RetryPolicy, clock: any Clock<Duration> = ContinuousClock()) {
    self.policy = policy
    self.clock = clock
  }

  /// Sends the request until the policy has enough, and returns or throws what came last.
  public func intercept(
    _ request: HTTPRequest, body: HTTPBody?, next: Next
  ) async throws -> (HTTPResponse, HTTPBody) {
    guard body?.iterationBehavior != .single else { return try await next(request, body) }
    var request = request
    var attempt = 1
    while true {
      let delay: Duration
      do {
        let (response, content) = try await next(request, body)
        let outcome = RetryPolicy.Outcome.status(
          response.status.code, retryAfter: RetryAfter.delay(in: response.headerFields))
        guard let wait = policy.delay(before: request, after: outcome, attempt: attempt)
        else { return (response, content) }
        delay = wait
      } catch let error as HTTPError {
        guard
          let wait = policy.delay(before: request, after: .failure(error.kind), attempt: attempt)
        else { throw error }
        delay = wait
      }
      try await clock.sleep(for: delay)
      request.headerFields[.xRetryCount] = "\(attempt)"
      attempt += 1
    }
  }
}
