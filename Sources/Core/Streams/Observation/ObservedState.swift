public import Observation

/// A stream's newest element as an observable property of the main actor, for SwiftUI and other observers.
///
/// It projects a source of truth and is never the truth itself. One task consumes the stream and holds this object
/// weakly; it is cancelled, and so the listener removed, when the object is released.
///
/// ```swift
/// struct PositionView: View {
///   @State var position: ObservedState<Position>
///   var body: some View { Text(position.value.map(\.description) ?? "…") }
/// }
/// ```
@MainActor
@Observable
public final class ObservedState<Value: Sendable> {
  /// The newest element. Already set after `init` if the source has a value; kept after end and error.
  public private(set) var value: Value?
  /// The error that ended the stream.
  public private(set) var error: (any Error)?
  /// Whether the stream has ended, normally or by an error.
  public private(set) var isFinished = false

  @ObservationIgnored private var feed: Task<Void, Never>?

  /// Follows a state stream, beginning with its latest value.
  public convenience init<Failure>(_ stream: StateStream<Value, Failure>) {
    self.init(stream, initially: stream.latest)
  }

  /// Follows any sequence, for example an `AsyncStream`.
  ///
  /// - Parameter value: What ``value`` is until the first element arrives.
  public init<Elements: AsyncSequence<Value, Failure> & Sendable, Failure: Error>(
    _ elements: Elements, initially value: Value? = nil
  ) {
    self.value = value
    feed = Task(name: "swiftwater.streams.observed") { [weak self] in
      do {
        for try await element in elements { self?.value = element }
      } catch {
        self?.error = error
      }
      self?.isFinished = true
    }
  }

  deinit { feed?.cancel() }
}
