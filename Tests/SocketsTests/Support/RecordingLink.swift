import SwiftwaterStreams

@testable import SwiftwaterSockets

/// A link that notes what it is told.
final class RecordingLink: WebSocketLink {
  let calls = LockIsolated<[String]>([])
  let channel = LockIsolated<WebSocketChannel?>(nil)

  func outputIsReady() { calls.withLock { $0.append("output") } }
  func resumeReading() { calls.withLock { $0.append("resume") } }
  func finishWriting() { calls.withLock { $0.append("finish") } }
  func closeLink() { calls.withLock { $0.append("close") } }
}
