import SwiftwaterStreams
import TestSupport
import Testing

@Suite("The documentation's examples")
struct GuideTests {
  @Test("two consumers, one listener")
  func overview() async {
    let thermometer = Thermometer()
    let temperature = StateSource<Double, Never> { sink in
      let id = thermometer.addListener { sink.send($0) }
      return ListenerRemoval { thermometer.removeListener(id) }
    }

    let printed = LockIsolated<[String]>([])
    let print = { @Sendable (text: String) in printed.withLock { $0.append(text) } }
    let display = Task {
      for await degrees in temperature.values { print("\(degrees)") }
    }
    let alarm = Task {
      for await degrees in temperature.values where degrees > 30 { print("too warm") }
    }

    #expect(await eventually { temperature.waitingCount == 2 })
    #expect(thermometer.listenerCount == 1)
    thermometer.measure(31.5)
    #expect(await eventually { printed.value.sorted() == ["31.5", "too warm"] })
    display.cancel()
    alarm.cancel()
    await display.value
    await alarm.value
    #expect(thermometer.listenerCount == 0)
  }

  @Test("a loop as the listener: its task is the registration, and back-pressure reaches it")
  func taskAsListener() async throws {
    let frames = EventSource<Int, Outage>()
    let source = EventSource<Int, any Error> { sink in
      let upstream = frames.events(bufferingPolicy: .suspending(1)).subscribe()
      let task = Task {
        do {
          while let frame = try await upstream.next() { try await sink.send(suspendingUntilBuffered: frame) }
          sink.finish()
        } catch is CancellationError {
          // Removed.
        } catch {
          sink.finish(throwing: error)
        }
      }
      return ListenerRemoval { task.cancel() }
    }
    var consumer: EventStream<Int, any Error>.Iterator? = source.events(bufferingPolicy: .suspending(1)).subscribe()
    #expect(await eventually { frames.waitingCount == 1 })
    let sender = Task { for frame in 1...10 { try await frames.send(suspendingUntilBuffered: frame) } }
    #expect(await eventually { frames.waitingSenderCount == 1 && source.waitingSenderCount == 1 })
    for frame in 1...10 { #expect(try await consumer?.next() == frame) }
    try await sender.value
    frames.finish(throwing: Outage(number: 1))
    await #expect(throws: Outage(number: 1)) { try await consumer?.next() }
    consumer = nil
    #expect(await eventually { frames.consumerCount == 0 })
  }
}

/// Something with callbacks.
private final class Thermometer: Sendable {
  private let listeners = LockIsolated<[Int: @Sendable (Double) -> Void]>([:])

  var listenerCount: Int { listeners.withLock { $0.count } }

  func addListener(_ listener: @escaping @Sendable (Double) -> Void) -> Int {
    listeners.withLock { listeners in
      let id = (listeners.keys.max() ?? 0) + 1
      listeners[id] = listener
      return id
    }
  }

  func removeListener(_ id: Int) {
    _ = listeners.withLock { $0.removeValue(forKey: id) }
  }

  func measure(_ degrees: Double) {
    for listener in listeners.withLock({ Array($0.values) }) { listener(degrees) }
  }
}
