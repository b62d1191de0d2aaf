/// Tasks that wait for a hub, in the order of their tickets.
///
/// A ticket is drawn before its owner parks, so that a cancellation handler can name a wait that has not begun yet.
@usableFromInline
@frozen
struct ParkingLot: Sendable {
  @usableFromInline typealias Continuation = UnsafeContinuation<Void, Never>

  @usableFromInline
  struct Parked: Sendable {
    @usableFromInline var ticket: Int
    @usableFromInline var continuation: Continuation

    @inlinable
    init(ticket: Int, continuation: Continuation) {
      self.ticket = ticket
      self.continuation = continuation
    }
  }

  /// Sorted by ticket.
  @usableFromInline var parked: [Parked] = []
  @usableFromInline var lastTicket = 0

  @inlinable init() {}

  @inlinable var count: Int { parked.count }
  @inlinable var isEmpty: Bool { parked.isEmpty }

  @inlinable
  mutating func drawTicket() -> Int {
    lastTicket &+= 1
    return lastTicket
  }

  @inlinable
  mutating func park(_ continuation: Continuation, ticket: Int) {
    // Tickets arrive almost in order: walk back from the end.
    var index = parked.count
    while index > 0, parked[index - 1].ticket > ticket { index -= 1 }
    parked.insert(Parked(ticket: ticket, continuation: continuation), at: index)
  }

  /// The continuation that waits under `ticket`, if it still waits.
  @usableFromInline
  mutating func remove(ticket: Int) -> Continuation? {
    var low = 0
    var high = parked.count
    while low < high {
      let middle = (low + high) / 2
      if parked[middle].ticket < ticket { low = middle + 1 } else { high = middle }
    }
    guard low < parked.count, parked[low].ticket == ticket else { return nil }
    return parked.remove(at: low).continuation
  }

  @inlinable
  mutating func takeAll() -> WokenTasks {
    switch parked.count {
    case 0: return WokenTasks()
    // The common case keeps the array's storage.
    case 1: return WokenTasks(first: parked.removeLast().continuation)
    default:
      let rest = parked
      parked = []
      return WokenTasks(rest: rest)
    }
  }
}

/// Tasks taken from a ``ParkingLot``: to be resumed after the lock was left.
@usableFromInline
@frozen
struct WokenTasks: Sendable {
  @usableFromInline var first: ParkingLot.Continuation?
  @usableFromInline var rest: [ParkingLot.Parked]

  @inlinable
  init(first: ParkingLot.Continuation? = nil, rest: [ParkingLot.Parked] = []) {
    self.first = first
    self.rest = rest
  }

  @inlinable
  func resume() {
    first?.resume()
    for parked in rest { parked.continuation.resume() }
  }
}

/// Waits until somebody takes the continuation that `park` stored, or the task is cancelled.
///
/// - Parameters:
///   - park: Stores the continuation under a lock; returns false if there is nothing to wait for. It must look at
///     `Task.isCancelled` under that lock, because the handler may have run before.
///   - unpark: Takes the continuation back, if it is still stored.
@inlinable
func waitInParkingLot(
  park: (ParkingLot.Continuation) -> Bool,
  unpark: @Sendable () -> ParkingLot.Continuation?
) async {
  await withTaskCancellationHandler {
    await withUnsafeContinuation { continuation in
      if !park(continuation) { continuation.resume() }
    }
  } onCancel: {
    unpark()?.resume()
  }
}
