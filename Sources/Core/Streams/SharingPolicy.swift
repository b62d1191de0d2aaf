/// How long a source keeps its one upstream listener.
///
/// The listener always starts with the first consumer and serves all of them.
public enum SharingPolicy: Sendable, Equatable {
  /// The listener lives while somebody consumes, and `linger` longer.
  ///
  /// A consumer that arrives during `linger` finds the listener running and the latest value there. When the listener
  /// is removed, the latest value is forgotten unless `keepsLatest`; then the next consumer sees it first, although it
  /// may be out of date. When the listener itself ends its stream (``StateSource/Sink/finish(throwing:)``), all current
  /// consumers end, and the next one starts a new listener.
  ///
  /// - Parameters:
  ///   - linger: How long to wait for a new consumer before the listener is removed. `.zero` removes it before the
  ///     last consumer's loop returns. The source stays alive while it lingers, even if nobody else holds it.
  ///   - keepsLatest: Whether a state source remembers its latest value without a listener. No effect on events.
  case whileObserved(linger: Duration = .zero, keepsLatest: Bool = false)

  /// The listener lives from the first consumer on until the source and all its streams are released.
  ///
  /// When the listener ends its stream, the source has ended: later consumers see the latest value and the same end.
  case lifetime

  var linger: Duration {
    if case .whileObserved(let linger, _) = self { linger } else { .zero }
  }

  var keepsLatest: Bool {
    if case .whileObserved(_, let keepsLatest) = self { keepsLatest } else { true }
  }
}
