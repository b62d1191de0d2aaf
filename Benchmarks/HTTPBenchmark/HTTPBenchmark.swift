/// Runs every scenario some times, in turns, and reports medians.
struct HTTPBenchmark {
  private let rounds = 3

  func run() async throws -> Report {
    let server = Child(["serve"])
    guard let port = server.next(), port.name == "port" else { return Report() }
    return withExtendedLifetime(server) { report(Readings(rounds: rounds, port: Int(port.value))) }
  }

  private func report(_ readings: Readings) -> Report {
    let session = readings[.manyURLSession, "processor"]
    let sequentialSession = readings[.sequentialURLSession, "processor"]
    func ratio(_ value: Double, to other: Double) -> Double? { other.isNaN ? nil : value / other }
    let many = readings[.many, "processor"]
    let sequential = readings[.sequential, "processor"]
    return Report(rows: [
      Row("URLSession, 64 at a time", session, "us CPU"),
      Row("URLSession, 64 at a time", readings[.manyURLSession, "rate"], "/s"),
      Row("64 at a time", many, "us CPU", ratio: ratio(many, to: session), atMost: 0.35),
      Row("64 at a time", readings[.many, "rate"], "/s"),
      Row("URLSession, one after the other", sequentialSession, "us CPU"),
      Row("one after the other", sequential, "us CPU", ratio: ratio(sequential, to: sequentialSession)),
      Row("one after the other", readings[.sequential, "rate"], "/s"),
      Row("memory, 50,000 requests", readings[.growth, "bytes"] / 1e6, "MB more", most: 1.05),
      Row("300 x 64 requests cancelled", readings[.storm, "seconds"], "s"),
      Row("stalled reader, memory", readings[.stalled, "bytes"] / 1e6, "MB", most: 16.8),
      Row("stalled reader, server has sent", readings[.stalled, "sent"] / 1e6, "MB", most: 16.8),
      Row("200 MB down", readings[.large, "down"], "s"),
      Row("200 MB up", readings[.large, "up"], "s"),
      Row("200 MB down and up, peak memory", readings[.large, "peak"] / 1e6, "MB", most: 40),
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
    let sorted = (values["\(scenario.rawValue) \(name)"] ?? []).sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }
}
