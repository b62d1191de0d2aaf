internal import Helpers

// What can be said of every call, in any place before it runs.
extension PostgrestRequestBuilder where Phase: PostgrestExecutablePhase {
  /// Sets a header field for this call; it wins over the configuration's. A name or value that HTTP does not allow fails
  /// when the request runs.
  public func setHeader(name: String, value: String) -> Self {
    next { request in
      if let name = HTTPField.Name(name), HTTPField.isValidValue(value) {
        request.fields[name] = value
      } else {
        request.fault = "The header field \"\(name)\" has characters that HTTP does not allow."
      }
    }
  }

  /// Sets the longest time without a byte in either direction, in place of the configuration's. Each attempt has it.
  public func timeout(_ timeout: Duration) -> Self {
    next { $0.timeout = timeout }
  }

  /// Says whether this call, if it only reads, is tried again while the server is away, in place of the configuration's
  /// `retryEnabled`.
  public func retry(enabled: Bool) -> Self {
    next { $0.retryEnabled = enabled }
  }

  /// Says what the server does with wishes that it cannot grant: counts, `dryRun()`, `timezone(_:)` and their like.
  public func handling(_ handling: PostgrestHandling) -> Self {
    next { $0.prefer("handling", handling.rawValue) }
  }

  /// Runs the request in a time zone of PostgreSQL, such as `Europe/Berlin`: points in time come back with its offset.
  /// A name with other characters than zones' names have fails when the request runs.
  public func timezone(_ name: String) -> Self {
    next { request in
      // A comma would begin another preference.
      if !name.isEmpty, name.utf8.allSatisfy({ $0.isHTTPToken || "/:".utf8.contains($0) }) {
        request.prefer("timezone", name)
      } else {
        request.fault = "\"\(name)\" is no name of a time zone."
      }
    }
  }
}
