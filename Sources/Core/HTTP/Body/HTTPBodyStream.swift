internal import SwiftwaterStreams

/// What makes the producers of a body's chunks: one for a single reader, or a new one for each.
package final class HTTPBodyStream: Sendable {
  /// Gives the next chunk, nil at the end.
  package typealias Producer = @Sendable () async throws -> [UInt8]?

  let iterationBehavior: HTTPBody.IterationBehavior
  private let makeProducer: @Sendable () async throws -> Producer
  private let isClaimed = LockIsolated(false)

  init(
    iterationBehavior: HTTPBody.IterationBehavior, makeProducer: @escaping @Sendable () async throws -> Producer
  ) {
    self.iterationBehavior = iterationBehavior
    self.makeProducer = makeProducer
  }

  /// A producer for a reader; of a single-pass body only the first one gets it.
  package func claim() async throws -> Producer {
    if iterationBehavior == .single {
      let isFirst = isClaimed.withLock { isClaimed in
        defer { isClaimed = true }
        return !isClaimed
      }
      guard isFirst else {
        throw HTTPError(kind: .bodyAlreadyRead, message: "This body is a stream and has been read already.")
      }
    }
    return try await makeProducer()
  }
}
