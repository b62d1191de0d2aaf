import BenchmarkSupport
import Foundation

/// Runs both servers in turns.
struct Measurement {
  /// What one run of wrk has seen.
  struct Run {
    var perSecond: Double
    /// Processor microseconds of the server for each request.
    var processor: Double
    var p99Milliseconds: Double
  }

  static let rounds = 3
  static let seconds = 5

  func run() async throws -> Report {
    let tools = try tools()
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiftwater-benchmark-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let (own, port) = try startOwn()
    let nginxPort = try writeNginxConfiguration(folder)
    let nginx = Child(["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "stderr"], program: tools.nginx)
    waitUntilReachable(nginxPort)

    var runs: [(own: Run, nginx: Run)] = []
    for round in 0...Self.rounds {
      Machine.progress("round \(round) of \(Self.rounds)")
      let ownRun = try load(tools.wrk, port, own.identifier, seconds: round == 0 ? 1 : Self.seconds)
      let nginxRun = try load(tools.wrk, nginxPort, nginx.identifier, seconds: round == 0 ? 1 : Self.seconds)
      // The first round warms up.
      if round > 0 { runs.append((ownRun, nginxRun)) }
    }
    let memory = Machine.residentBytes(of: own.identifier)
    withExtendedLifetime((own, nginx)) {}
    Machine.progress("idle WebSockets")
    let plain = try await idleSocketBytes(compressing: false)
    let compressing = try await idleSocketBytes(compressing: true)
    Machine.progress("")

    func figures(_ name: String, _ unit: String, _ target: Figure.Target?, _ value: (Run) -> Double) -> [Figure] {
      let (ownValue, nginxValue) = (median(runs.map { value($0.own) }), median(runs.map { value($0.nginx) }))
      return [
        Figure("nginx, static file of 1 KiB, \(name)", nginxValue, unit, ratio: 1),
        Figure("1 KiB of JSON by an async handler, \(name)", ownValue, unit, ratio: ownValue / nginxValue, target),
      ]
    }
    return Report(
      "server", floor: "nginx",
      figures("64 connections", "/s", .ratioAtLeast(0.5), \.perSecond)
        + figures("processor time", "us", .valueAtMost(64), \.processor)
        + figures("99th percentile", "ms", nil, \.p99Milliseconds)
        + [
          Figure("memory of an idle WebSocket", plain / 1024, "KiB", .valueAtMost(16)),
          Figure("the same, compressing", compressing / 1024, "KiB", .valueAtMost(16)),
          Figure("memory in use after the requests", memory / 1024 / 1024, "MiB"),
        ])
  }

  /// Starts this program once more as the server that is measured.
  func startOwn() throws -> (Child, port: Int) {
    let child = Child(["--serve"])
    guard let port = child.next(), port.name == "port" else {
      throw CocoaError(.executableLoad, userInfo: [NSLocalizedDescriptionKey: "The server does not start."])
    }
    return (child, Int(port.value))
  }

  private func tools() throws -> (wrk: String, nginx: String) {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Support/tools.sh")
      .standardizedFileURL.path
    var paths: [Substring: String] = [:]
    for line in Child(["bash", script, "wrk", "nginx"], program: "/usr/bin/env").readAll().split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { paths[parts[0]] = String(parts[1]) }
    }
    guard let wrk = paths["wrk"], let nginx = paths["nginx"] else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "wrk or nginx is missing; see above."])
    }
    return (wrk, nginx)
  }

  /// Writes what nginx needs: one process, which serves one file on a free port.
  private func writeNginxConfiguration(_ folder: String) throws -> Int {
    let port = freePort()
    try FileManager.default.createDirectory(atPath: "\(folder)/root", withIntermediateDirectories: true)
    try Data(body).write(to: URL(filePath: "\(folder)/root/json"))
    let configuration = """
      daemon off; master_process off; worker_processes 1; pid \(folder)/nginx.pid; error_log stderr;
      events { worker_connections 2048; }
      http {
        access_log off; default_type application/json; keepalive_requests 1000000000; sendfile on; tcp_nopush on;
        open_file_cache max=10;
        client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b; fastcgi_temp_path \(folder)/c;
        uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
        server { listen 127.0.0.1:\(port); root \(folder)/root; }
      }
      """
    try Data(configuration.utf8).write(to: URL(filePath: "\(folder)/nginx.conf"))
    return port
  }

  /// One thread of wrk with 64 connections.
  private func load(_ wrk: String, _ port: Int, _ process: Int32, seconds: Int) throws -> Run {
    let before = Machine.processorTime(of: process)
    let output = Child(["-t1", "-c64", "-d\(seconds)s", "--latency", "http://127.0.0.1:\(port)/json"], program: wrk)
      .readAll()
    let spent = Machine.processorTime(of: process) - before
    guard !output.contains("Non-2xx"), !output.contains("Socket errors") else {
      throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: output])
    }
    func words(_ label: String) -> [Substring] {
      output.split(separator: "\n").first { $0.contains(label) }?.split { " :".contains($0) } ?? []
    }
    func number(_ label: String) -> Double { words(label).compactMap { Double($0) }.first ?? .nan }
    return Run(
      perSecond: number("Requests/sec"), processor: spent / 1e3 / number("requests in"),
      p99Milliseconds: milliseconds(words("99%").last ?? ""))
  }

  /// Reads `850.00us`, `12.34ms` and `1.20s`.
  private func milliseconds(_ text: Substring) -> Double {
    for (unit, scale) in [("us", 1e-3), ("ms", 1), ("s", 1e3)] where text.hasSuffix(unit) {
      return (Double(text.dropLast(unit.count)) ?? .nan) * scale
    }
    return .nan
  }
}
