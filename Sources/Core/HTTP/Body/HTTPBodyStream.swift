internal import SwiftwaterStreams

/// A producer of chunks that one reader may claim.
package final class HTTPBodyStream: Sendable {
  private let next: @Sendable () async throws -> [UInt8]?
  private let isClaimed = LockIsolated(false)

  init(next: @escaping @Sendable () async throws -> [UInt8]?) {
    self.next = next
  }

  /// The producer, for the first who asks.
  package func claim() throws(HTTPError) -> @Sendable () async throws -> [UInt8]? {
    let isFirst = isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
    guard isFirst else {
      throw HTTPError(kind: .bodyAlreadyRead, message: "This body is a stream and has been read already.")
    }
    return next
  }
}
