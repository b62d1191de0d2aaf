import SwiftwaterStreams

/// An event that says who sent it and how many that one had sent before.
struct Tagged: Sendable {
  var producer: Int
  var number: Int
}

/// Finds gaps, duplicates, reorderings and lost tails in what consumers see.
final class StreamChecker: Sendable {
  private struct Findings {
    var deliveries = 0
    var sessions = 0
    var violations: [String] = []
  }

  private let findings = LockIsolated(Findings())
  private let producers: Int
  private let eventsPerProducer: Int

  init(producers: Int, eventsPerProducer: Int) {
    self.producers = producers
    self.eventsPerProducer = eventsPerProducer
  }

  var deliveries: Int { findings.withLock { $0.deliveries } }
  var sessions: Int { findings.withLock { $0.sessions } }
  /// The first few.
  var violations: [String] { findings.withLock { $0.violations } }

  /// Consumes a sequence to its end, or `quota` elements of it. Returns whether it ended.
  ///
  /// - Parameter isFromStart: Whether the consumer was there before the first event.
  func consume<Events: AsyncSequence<Tagged, Never>>(
    _ events: Events, quota: Int, isFromStart: Bool
  ) async -> Bool {
    // A consumer that comes late learns each producer's place from the first event it sees.
    var last = [Int?](repeating: isFromStart ? -1 : nil, count: producers)
    var count = 0
    var hasEnded = true
    for await event in events {
      if let previous = last[event.producer], event.number != previous + 1 {
        report("producer \(event.producer): \(event.number) after \(previous)")
      }
      last[event.producer] = event.number
      count += 1
      if count == quota {
        hasEnded = false
        break
      }
    }
    if hasEnded {
      for (producer, number) in last.enumerated() {
        if let number, number != eventsPerProducer - 1 { report("producer \(producer): ended at \(number)") }
      }
    }
    findings.withLock { findings in
      findings.deliveries += count
      findings.sessions += 1
    }
    return hasEnded
  }

  /// Like `consume`, for a state whose values grow: strictly newer, and the final value always seen.
  func follow<Values: AsyncSequence<Int, Never>>(_ values: Values, quota: Int, final: Int) async -> Bool {
    var last = -1
    var count = 0
    var hasEnded = true
    for await value in values {
      if value <= last { report("\(value) after \(last)") }
      last = value
      count += 1
      if count == quota {
        hasEnded = false
        break
      }
    }
    if hasEnded, last != final { report("ended at \(last) instead of \(final)") }
    findings.withLock { findings in
      findings.deliveries += count
      findings.sessions += 1
    }
    return hasEnded
  }

  private func report(_ violation: String) {
    findings.withLock { if $0.violations.count < 5 { $0.violations.append(violation) } }
  }
}
