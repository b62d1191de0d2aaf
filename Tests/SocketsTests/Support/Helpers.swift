@testable import SwiftwaterSockets

/// Both ends of a connection in memory.
func pair(
  _ configuration: WebSocketConfiguration = WebSocketConfiguration(), now: ContinuousClock.Instant = .now
) -> (wire: MemoryWire, client: any WebSocketConnection, server: any WebSocketConnection) {
  let wire = MemoryWire(client: configuration, now: now)
  return (wire, wire.client.makeConnection(), wire.server.makeConnection())
}

/// What `body` throws, if anything.
func failure(_ body: () async throws -> Void) async -> (any Error)? {
  do {
    try await body()
    return nil
  } catch { return error }
}
