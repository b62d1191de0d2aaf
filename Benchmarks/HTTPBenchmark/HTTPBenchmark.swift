import BenchmarkSupport

/// Runs every scenario some times, in turns, and reports medians.
struct HTTPBenchmark {
  private let rounds = 3

  func run() -> Report? {
    let server = Child(["serve"])
    guard let port = server.next(), port.name == "port" else { return nil }
    return withExtendedLifetime(server) { report(Readings(rounds: rounds, port: Int(port.value))) }
  }

  private func report(_ readings: Readings) -> Report {
    func ratio(_ scenario: Scenario, _ peer: Scenario, _ name: String) -> Double? {
      let ratio = readings[scenario, name] / readings[peer, name]
      return ratio.isNaN ? nil : ratio
    }
    func processor(_ name: String, _ scenario: Scenario, ratio: Double? = nil, _ target: Figure.Target? = nil) -> Figure
    {
      Figure(name, readings[scenario, "processor"] / 1e3, "us CPU", ratio: ratio, target)
    }
    let megabytes = readings[.growth, "bytes"] / 1e6
    return Report(
      "http", floor: "URLSession",
      [
        processor("URLSession, 64 at a time", .manyURLSession),
        Figure("URLSession, 64 at a time", readings[.manyURLSession, "rate"], "/s"),
        processor("64 at a time", .many, ratio: ratio(.many, .manyURLSession, "processor"), .ratioAtMost(0.35)),
        Figure(
          "64 at a time", readings[.many, "rate"], "/s", ratio: ratio(.many, .manyURLSession, "rate")),
        processor("URLSession, one after the other", .sequentialURLSession),
        processor(
          "one after the other", .sequential, ratio: ratio(.sequential, .sequentialURLSession, "processor")),
        Figure("one after the other", readings[.sequential, "rate"], "/s"),
        Figure("memory, 50,000 requests", megabytes, "MB more", .valueAtMost(1.05)),
        Figure("300 x 64 requests cancelled", readings[.storm, "seconds"], "s"),
        Figure("stalled reader, memory", readings[.stalled, "bytes"] / 1e6, "MB", .valueAtMost(16.8)),
        Figure("stalled reader, server has sent", readings[.stalled, "sent"] / 1e6, "MB", .valueAtMost(16.8)),
        Figure("200 MB down", readings[.large, "down"], "s"),
        Figure("200 MB up", readings[.large, "up"], "s"),
        Figure("200 MB down and up, peak memory", readings[.large, "peak"] / 1e6, "MB", .valueAtMost(40)),
      ])
  }
}

/// The medians of the readings of each scenario.
struct Readings {
  private var values: [String: [Double]] = [:]

  init(rounds: Int, port: Int) {
    for round in 1...rounds {
      let scenarios: [Scenario] =
        [.many, .manyURLSession, .sequential, .sequentialURLSession]
        + (round == 1 ? [.growth, .storm, .stalled, .large] : [])
      for scenario in scenarios {
        Machine.progress("round \(round) of \(rounds): \(scenario.rawValue)")
        let child = Child(["measure", scenario.rawValue, "\(port)"])
        while let reading = child.next() {
          values["\(scenario.rawValue) \(reading.name)", default: []].append(reading.value)
        }
      }
    }
    Machine.progress("")
  }

  subscript(scenario: Scenario, name: String) -> Double {
    median(values["\(scenario.rawValue) \(name)"] ?? [])
  }
}
