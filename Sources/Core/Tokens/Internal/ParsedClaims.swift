internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Claims that are parsed when they are asked for, and then kept for all copies of their token.
final class ParsedClaims: Sendable {
  private let parsed = LockIsolated<JSONValue?>(nil)

  func values(_ text: String) -> JSONValue {
    parsed.withLock { parsed in
      if let parsed { return parsed }
      // The text has been checked, so it can be read.
      let values = (try? JSONValue(parsing: text)) ?? [:]
      parsed = values
      return values
    }
  }
}
