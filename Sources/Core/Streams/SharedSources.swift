/// One live source per request: whoever asks for the same key while a source is in use gets that source.
///
/// A registry holds its sources weakly. A source lives as long as somebody holds it, one of its streams or iterators,
/// or it lingers; then its entry disappears, and the next request makes a new one.
///
/// ```swift
/// let documents = SharedSources<Path, StateSource<Document, DatabaseError>>()
/// let values = documents.source(for: path) { sink in database.listen(at: path, sink) }.values
/// ```
///
/// - Threading: safe to use from any thread. Sources are made under the registry's lock, so racing requests for a key
///   get the same one, and started outside it, when they get their first consumer. `Key`'s `==` and `hash(into:)` run
///   under the lock.
public final class SharedSources<Key: Hashable & Sendable, Source: AnyObject & Sendable>: Sendable {
  private struct Entry {
    weak var source: Source?
  }

  private struct Entries {
    var byKey: [Key: Entry] = [:]
    /// The size at which looking for dead entries is worth its cost again.
    var sweepCount = 32

    /// Returns every source that it looked at: ours may be the last reference to it, and its deinit calls users.
    mutating func sweepIfNeeded() -> [Source] {
      guard byKey.count >= sweepCount else { return [] }
      var living: [Source] = []
      byKey = byKey.filter { entry in
        guard let source = entry.value.source else { return false }
        living.append(source)
        return true
      }
      sweepCount = max(32, byKey.count * 2)
      return living
    }
  }

  private let entries = LockIsolated(Entries())

  /// An empty registry.
  public init() {}

  /// - Parameter make: Only constructs; runs under the lock.
  private func source(for key: Key, make: () -> Source) -> Source {
    let (source, swept) = entries.withLock { entries -> (Source, [Source]) in
      if let source = entries.byKey[key]?.source { return (source, []) }
      let swept = entries.sweepIfNeeded()
      let source = make()
      entries.byKey[key] = Entry(source: source)
      return (source, swept)
    }
    _ = swept  // released outside the lock
    return source
  }

  /// Entries of live and dead sources: at most 32, or twice as many as live sources.
  package var entryCount: Int { entries.withLock { $0.byKey.count } }
}

extension SharedSources {
  /// The state source of a request. The other parameters, those of ``StateSource/init(sharing:clock:start:)``, count
  /// only if none is live.
  public func source<Value, Failure>(
    for key: Key,
    sharing: SharingPolicy = .whileObserved(),
    clock: any Clock<Duration> = ContinuousClock(),
    start: @escaping @Sendable (StateSource<Value, Failure>.Sink) -> any ListenerRegistration
  ) -> Source where Source == StateSource<Value, Failure> {
    source(for: key) { StateSource(sharing: sharing, clock: clock, start: start) }
  }

  /// The event source of a request. The other parameters, those of ``EventSource/init(sharing:clock:start:)``, count
  /// only if none is live.
  public func source<Element, Failure>(
    for key: Key,
    sharing: SharingPolicy = .whileObserved(),
    clock: any Clock<Duration> = ContinuousClock(),
    start: @escaping @Sendable (EventSource<Element, Failure>.Sink) -> any ListenerRegistration
  ) -> Source where Source == EventSource<Element, Failure> {
    source(for: key) { EventSource(sharing: sharing, clock: clock, start: start) }
  }
}
