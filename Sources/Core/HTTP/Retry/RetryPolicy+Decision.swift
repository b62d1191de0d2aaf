extension RetryPolicy {
  /// How an attempt ended, as far as it matters here.
  enum Outcome: Hashable {
    case status(Int, retryAfter: Duration?)
    case failure(HTTPError.Kind)
  }

  /// The wait before the request is sent again; nil if it is not.
  ///
  /// - Parameter attempt: how often it has been sent.
  func delay(before request: HTTPRequest, after outcome: Outcome, attempt: Int) -> Duration? {
    guard attempt < attempts, repeats(request, after: outcome) else { return nil }
    if case .status(_, let retryAfter?) = outcome { return min(retryAfter, backoff.cap) }
    return backoff.delay(afterFailure: attempt)
  }

  private func repeats(_ request: HTTPRequest, after outcome: Outcome) -> Bool {
    let isRepeatable: Bool
    switch request.retry {
    case .never: return false
    case .always: isRepeatable = true
    case .byMethod: isRepeatable = methods.contains(request.method)
    }
    switch outcome {
    case .status(429, nil): return false
    case .status(let status, _): return isRepeatable && statuses.contains(status)
    case .failure(.connectionFailed): return isRepeatable || retriesUnsentRequests
    case .failure(.connectionLost), .failure(.timeout): return isRepeatable
    case .failure: return false
    }
  }
}
