internal import Observation

/// The values of an expression over `@Observable` objects of the main actor: the current one, then one per change.
///
/// Use it instead of the standard library's `Observations`, whose iterators share state (swiftlang/swift#85683): here
/// each iterator has its own.
///
/// ```swift
/// for await total in ObservedValues({ cart.items.count * cart.price }) { print(total) }
/// ```
///
/// - First element: the current value, for each iterator. Afterwards the value whenever something that the expression
///   read has changed. Changes made without a suspension in between are seen together, never half done.
/// - Slow consumers skip values, always reach the newest, and affect nobody else.
/// - Order of changes: only what changes *on the main actor* is sure to be seen, because observation announces a
///   change before it is made. Use a ``StateSource`` for anything that changes elsewhere.
/// - End: ``untilFinished(_:)`` ends by itself; an expression that throws ends with its error; then nil for ever.
/// - Cancellation: `next()` returns nil at once.
public struct ObservedValues<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// What an expression yields.
  public enum Iteration: Sendable {
    /// The next element.
    case next(Element)
    /// There will be no more.
    case finish
  }

  let evaluate: @MainActor @Sendable () throws(Failure) -> Iteration

  init(evaluate: @escaping @MainActor @Sendable () throws(Failure) -> Iteration) {
    self.evaluate = evaluate
  }

  /// The values of an expression, without end.
  public init(_ expression: @escaping @MainActor @Sendable () throws(Failure) -> Element) {
    evaluate = { () throws(Failure) in .next(try expression()) }
  }

  /// The values of an expression, until it says that there are no more.
  public static func untilFinished(
    _ expression: @escaping @MainActor @Sendable () throws(Failure) -> Iteration
  ) -> ObservedValues {
    ObservedValues(evaluate: expression)
  }

  /// A consumer of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(evaluate: evaluate) }

  /// One consumer.
  public struct Iterator: AsyncIteratorProtocol {
    let evaluate: @MainActor @Sendable () throws(Failure) -> Iteration
    /// Nil once the sequence has ended.
    var change: ChangeSignal? = ChangeSignal()

    init(evaluate: @escaping @MainActor @Sendable () throws(Failure) -> Iteration) {
      self.evaluate = evaluate
    }

    /// The next value; nil at the end and after cancellation.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Element? {
      guard let change else { return nil }
      self.change = nil
      await change.wait()
      if Task.isCancelled { return nil }
      guard case .next(let element) = try await Self.evaluate(evaluate, change) else { return nil }
      self.change = change
      return element
    }

    @MainActor
    private static func evaluate(
      _ expression: @MainActor @Sendable () throws(Failure) -> Iteration, _ change: ChangeSignal
    ) throws(Failure) -> Iteration {
      change.reset()
      let result = withObservationTracking {
        do throws(Failure) { return Result<Iteration, Failure>.success(try expression()) } catch {
          return .failure(error)
        }
      } onChange: {
        change.fire()
      }
      return try result.get()
    }
  }
}
