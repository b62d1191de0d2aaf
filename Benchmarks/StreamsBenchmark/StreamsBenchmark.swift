import BenchmarkSupport
import SwiftwaterStreams

/// Measures the figures in interleaved rounds, so that a busy machine slows all of them alike, and reports medians.
struct StreamsBenchmark {
  let rounds: Int

  /// Runs in the thread pool, where the consumers are: a main thread would measure the kernel's thread switches.
  @concurrent
  func run() async -> Report {
    Machine.progress("memory")
    // First, while the heap is small.
    let memory = measureMemory()

    var samples = Samples()
    _ = await round()
    for index in 1...rounds {
      Machine.progress("round \(index) of \(rounds)")
      samples.add(await round())
    }
    Machine.progress("")
    return report(samples, memory: memory)
  }

  private func round() async -> [Sample: Double] {
    var round: [Sample: Double] = [:]
    let processor = Machine.processorTime()
    let floor = await streamThroughput(count: 100_000)
    round[.floor] = floor
    round[.floorProcessor] = (Machine.processorTime() - processor) / 100_000
    round[.events1] = await eventThroughput(consumers: 1, count: 400_000).deliveries
    round[.events10] = await eventThroughput(consumers: 10, count: 100_000).deliveries
    round[.ratio1] = (round[.events1] ?? 0) / floor
    round[.ratio10] = (round[.events10] ?? 0) / floor
    round[.backlogged] = backloggedSendTime(consumers: 1000, count: 20_000)
    round[.draining] = await eventThroughput(consumers: 1000, count: 300).sendTime
    round[.stateProcessor] = await stateSendProcessorTime(consumers: 10, count: 500_000)
    round[.parked] = await parkedSendTime(consumers: 1000, sends: 20)
    round[.cancel] = await cancelTime(cycles: 1000) {
      let source = StateSource<Int, Never> { _ in ListenerRemoval {} }
      return (source.values, { source.waitingCount == 1 })
    }
    return round
  }

  private func measureMemory() -> (stream: Double, state: Double, event: Double) {
    let stream = bytesPerConsumer { AsyncStream<Int>.makeStream() }
    let states = StateSource<Int, Never>(0)
    let state = bytesPerConsumer { states.values.makeAsyncIterator() }
    let events = EventSource<Int, Never>()
    let event = bytesPerConsumer { events.events().subscribe() }
    return withExtendedLifetime((stream, state, event)) { (stream.bytes, state.bytes, event.bytes) }
  }

  private func report(_ samples: Samples, memory: (stream: Double, state: Double, event: Double)) -> Report {
    let floor = samples[.floor]
    let nanoseconds = 1e9 / floor
    func time(_ name: String, _ sample: Sample, _ unit: String, per scale: Double, atMost: Double) -> Figure {
      let value = samples[sample]
      return Figure(name, value / scale, unit, ratio: value / nanoseconds, .valueAtMost(atMost))
    }
    func bytes(_ name: String, _ bytes: Double) -> Figure {
      Figure("memory per idle \(name) consumer", bytes, "B", ratio: bytes / memory.stream, .valueAtMost(200))
    }
    return Report(
      "streams", floor: "floor",
      [
        Figure("floor: AsyncStream, 1 consumer", floor / 1e6, "M/s", ratio: 1),
        Figure("floor: AsyncStream, processor time", samples[.floorProcessor] / 1e3, "us", ratio: 1),
        Figure(
          "events delivered, 1 consumer", samples[.events1] / 1e6, "M/s", ratio: samples[.ratio1], .ratioAtLeast(5)),
        Figure(
          "events delivered, 10 consumers", samples[.events10] / 1e6, "M/s", ratio: samples[.ratio10],
          .ratioAtLeast(15)),
        time("event send, 1000 backlogged consumers", .backlogged, "us", per: 1e3, atMost: 20),
        time("event send, processor time, 1000 draining consumers", .draining, "us", per: 1e3, atMost: 20),
        time("state send, processor time, 10 consumers", .stateProcessor, "us", per: 1e3, atMost: 1),
        time("state send, 1000 parked consumers", .parked, "us", per: 1e3, atMost: 1000),
        time("cancel to exit, with listener", .cancel, "us", per: 1e3, atMost: 10),
        bytes("state", memory.state), bytes("event", memory.event),
      ])
  }
}

/// What is measured in every round.
enum Sample {
  case floor, floorProcessor, events1, events10, ratio1, ratio10, backlogged, draining, stateProcessor, parked, cancel
}

struct Samples {
  private var values: [Sample: [Double]] = [:]

  mutating func add(_ round: [Sample: Double]) {
    for (sample, value) in round { values[sample, default: []].append(value) }
  }

  /// The median of all rounds.
  subscript(sample: Sample) -> Double { median(values[sample] ?? []) }
}
