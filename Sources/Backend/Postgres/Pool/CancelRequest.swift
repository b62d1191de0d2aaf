internal import CPostgres
internal import CSystem

/// Asks PostgreSQL to cancel what a connection is running.
///
/// libpq does this by a second connection and blocks meanwhile, so it gets a thread of its own.
enum CancelRequest {
  private final class Context: Sendable {
    // unsafe: only the helper thread touches it until it is freed.
    nonisolated(unsafe) let request: OpaquePointer
    let completion: @Sendable () -> Void

    init(_ request: OpaquePointer, _ completion: @escaping @Sendable () -> Void) {
      self.request = request
      self.completion = completion
    }
  }

  /// Sends the request; `completion` is called on any thread when the server has acted on it or could not be asked.
  static func send(for connection: OpaquePointer, completion: @escaping @Sendable () -> Void) {
    guard let request = PQgetCancel(connection) else { return completion() }
    let context = Unmanaged.passRetained(Context(request, completion))
    let body: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
      guard let pointer else { return }
      let context = Unmanaged<Context>.fromOpaque(pointer).takeRetainedValue()
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
        _ = PQcancel(context.request, message.baseAddress, 256)
      }
      PQfreeCancel(context.request)
      context.completion()
    }
    if swiftwater_start_thread("postgres-cancel", body, context.toOpaque()) != 0 {
      context.release()
      PQfreeCancel(request)
      completion()
    }
  }
}
