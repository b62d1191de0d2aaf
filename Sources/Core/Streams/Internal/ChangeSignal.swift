/// Says that something changed, to one waiting iterator.
final class ChangeSignal: Sendable {
  private struct State {
    /// Raised at the beginning, so that the first wait does not wait.
    var isRaised = true
    var parking = ParkingLot()
  }

  private let state = LockIsolated(State())

  func fire() {
    let woken = state.withLock { state in
      state.isRaised = true
      return state.parking.takeAll()
    }
    woken.resume()
  }

  func reset() {
    state.withLock { $0.isRaised = false }
  }

  /// Returns once the signal is raised, or the task is cancelled.
  func wait() async {
    guard let ticket = state.withLock({ $0.isRaised ? nil : $0.parking.drawTicket() }) else { return }
    await waitInParkingLot { continuation in
      state.withLock { state in
        if state.isRaised || Task.isCancelled { return false }
        state.parking.park(continuation, ticket: ticket)
        return true
      }
    } unpark: {
      state.withLock { $0.parking.remove(ticket: ticket) }
    }
  }
}
