import Foundation

/// Runs both servers in turns and prints a line for each figure.
struct Measurement {
  /// What one run of wrk has seen.
  struct Run {
    var perSecond: Double
    var microseconds: Double
    var p99: String
  }

  static let rounds = 3
  static let seconds = 5
  static let sockets = 1000

  let printsJSON: Bool

  func run() throws {
    let tools = try tools()
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiftwater-benchmark-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let own = try Child(CommandLine.arguments[0], ["--serve"])
    defer { own.stop() }
    let port = Int(own.read().split(separator: " ").first ?? "") ?? 0
    let nginxPort = try startNginx(folder)
    let nginx = try Child(tools.nginx, ["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "stderr"])
    defer { nginx.stop(bySignal: true) }
    try waitUntilReachable(nginxPort)

    var runs: [(own: Run, nginx: Run)] = []
    for round in 0...Self.rounds {
      let ownRun = try load(tools.wrk, port, own.identifier, seconds: round == 0 ? 1 : Self.seconds)
      let nginxRun = try load(tools.wrk, nginxPort, nginx.identifier, seconds: round == 0 ? 1 : Self.seconds)
      // The first round warms up.
      if round > 0 { runs.append((ownRun, nginxRun)) }
    }
    let rate = median(runs.map(\.own.perSecond))
    let nginxRate = median(runs.map(\.nginx.perSecond))
    report("nginx, static file of 1 KiB, 64 connections", nginxRate, "req/s", ratio: 1)
    report("nginx, processor time", median(runs.map(\.nginx.microseconds)), "µs/request")
    report("1 KiB of JSON by an async handler, 64 connections", rate, "req/s", ratio: rate / nginxRate, "≥ 0.5 x nginx")
    report("processor time", median(runs.map(\.own.microseconds)), "µs/request", "≤ 64")
    report("p99", 0, runs.map { "\($0.own.p99) (nginx \($0.nginx.p99))" }.joined(separator: ", "))
    report("memory of an idle WebSocket", try idleSockets(port, own.identifier), "KiB", "≤ 16")
    report("memory in use", try ProcessFigures(of: own.identifier).residentKiB / 1024, "MiB")
  }

  private func tools() throws -> (wrk: String, nginx: String) {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "tools.sh").path
    var paths: [Substring: String] = [:]
    for line in try Child("/usr/bin/env", ["bash", script]).readAll().split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { paths[parts[0]] = String(parts[1]) }
    }
    guard let wrk = paths["wrk"], let nginx = paths["nginx"] else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSLocalizedDescriptionKey: "wrk or nginx is missing; see above."])
    }
    return (wrk, nginx)
  }

  /// Writes what nginx needs: one process, which serves one file on a free port.
  private func startNginx(_ folder: String) throws -> Int {
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
    let before = try ProcessFigures(of: process)
    let child = try Child(wrk, ["-t1", "-c64", "-d\(seconds)s", "--latency", "http://127.0.0.1:\(port)/json"])
    let output = child.readAll()
    let spent = try ProcessFigures(of: process).processorTime - before.processorTime
    func number(_ label: String) -> Double {
      guard let line = output.split(separator: "\n").first(where: { $0.contains(label) }) else { return .nan }
      return line.split { " :".contains($0) }.compactMap { Double($0) }.first ?? .nan
    }
    guard !output.contains("Non-2xx"), !output.contains("Socket errors") else {
      throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: output])
    }
    let p99 = output.split(separator: "\n").first { $0.contains("99%") }?.split(separator: " ").last ?? ""
    return Run(
      perSecond: number("Requests/sec"), microseconds: spent / number("requests in"), p99: String(p99))
  }

  private func report(
    _ name: String, _ value: Double, _ unit: String, ratio: Double? = nil, _ target: String? = nil
  ) {
    let rounded = value < 1000 ? (value * 10).rounded() / 10 : value.rounded()
    let ratio = ratio.map { ($0 * 100).rounded() / 100 }
    if printsJSON {
      print(
        "{\"benchmark\":\"server\",\"figure\":\"\(name)\",\"value\":\(rounded),\"unit\":\"\(unit)\""
          + (ratio.map { ",\"ratio\":\($0)" } ?? "") + (target.map { ",\"target\":\"\($0)\"" } ?? "") + "}")
    } else {
      print(
        "\(name): \(value == 0 ? "" : "\(rounded) ")\(unit)\(ratio.map { ", \($0) x nginx" } ?? "")"
          + (target.map { " (target \($0))" } ?? ""))
    }
  }
}
