import BenchmarkSupport
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams

#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
#endif

/// What is measured, each in a process of its own.
enum Scenario: String {
  /// 64 tasks ask for 1 KiB each, over 6 connections.
  case many
  /// The same with Foundation's URLSession.
  case manyURLSession = "many-urlsession"
  /// One request after the other.
  case sequential
  case sequentialURLSession = "sequential-urlsession"
  /// Memory after 10,000 and after 50,000 further requests.
  case growth
  /// 300 times 64 requests, cancelled.
  case storm
  /// A body that nobody reads on.
  case stalled
  /// 200 MB down and up.
  case large
}

/// Runs one scenario and returns its readings.
struct Measurements {
  let port: Int
  private let transport: CurlTransport

  init(port: Int) {
    self.port = port
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .none
    transport = CurlTransport(configuration: configuration)
  }

  func run(_ scenario: Scenario) async throws -> [(name: String, value: Double)] {
    switch scenario {
    case .many: return try await requests(30_000, tasks: 64) { try await small() }
    case .sequential: return try await requests(5_000, tasks: 1) { try await small() }
    case .manyURLSession, .sequentialURLSession:
      #if canImport(FoundationNetworking)
        let session = Session(port: port)
        let isSequential = scenario == .sequentialURLSession
        return try await requests(isSequential ? 2_000 : 6_000, tasks: isSequential ? 1 : 64) {
          try await session.small()
        }
      #else
        return []
      #endif
    case .growth:
      _ = try await requests(10_000, tasks: 64) { try await small() }
      let before = Machine.residentBytes()
      _ = try await requests(50_000, tasks: 64) { try await small() }
      return [("bytes", Machine.residentBytes() - before)]
    case .storm: return try await storm()
    case .stalled: return try await stalled()
    case .large: return try await large()
    }
  }

  private func request(_ path: String, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
    HTTPRequest(
      method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, timeout: .seconds(60))
  }

  private func small() async throws {
    let (_, body) = try await transport.send(request("/small"))
    let count = try await body.collect(upTo: 4096).count
    precondition(count == 1024)
  }

  private func requests(
    _ count: Int, tasks: Int, _ perform: @escaping @Sendable () async throws -> Void
  ) async throws -> [(name: String, value: Double)] {
    try await perform()
    let (start, processor) = (ContinuousClock.now, Machine.processorTime())
    try await withThrowingTaskGroup { group in
      for _ in 0..<tasks {
        group.addTask { for _ in 0..<(count / tasks) { try await perform() } }
      }
      try await group.waitForAll()
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return [("rate", Double(count) / seconds), ("processor", (Machine.processorTime() - processor) / Double(count))]
  }

  private func storm() async throws -> [(name: String, value: Double)] {
    let start = ContinuousClock.now
    for round in 0..<300 {
      await withTaskGroup { group in
        for number in 0..<64 {
          group.addTask {
            guard number.isMultiple(of: 2) else { return _ = try? await transport.send(request("/hang")) }
            try? await small()
          }
        }
        for _ in 0..<(round % 7) { await Task.yield() }
        group.cancelAll()
      }
    }
    let time = (ContinuousClock.now - start) / .seconds(1)
    while transport.engine.liveTransferCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    try await small()
    return [("seconds", time)]
  }

  private func stalled() async throws -> [(name: String, value: Double)] {
    try await small()
    let before = Machine.residentBytes()
    let (_, body) = try await transport.send(request("/large"))
    var last = -1.0
    while true {
      let text = try await transport.send(request("/sent")).1.collect(upTo: 100)
      let sent = Double(String(decoding: text, as: UTF8.self)) ?? 0
      if sent == last { break }
      last = sent
      try await Task.sleep(for: .milliseconds(500))
    }
    return withExtendedLifetime(body) { [("sent", last), ("bytes", Machine.residentBytes() - before)] }
  }

  private func large() async throws -> [(name: String, value: Double)] {
    var start = ContinuousClock.now
    var count = 0
    for try await chunk in try await transport.send(request("/large")).1 { count += chunk.count }
    precondition(count == BenchmarkServer.largeBytes)
    let down = (ContinuousClock.now - start) / .seconds(1)
    start = .now
    let block = [UInt8](repeating: 7, count: 65_536)
    let rest = LockIsolated(BenchmarkServer.largeBytes)
    let body = HTTPBody(length: .known(Int64(BenchmarkServer.largeBytes))) {
      let count = rest.withLock { rest in
        defer { rest -= min(rest, block.count) }
        return min(rest, block.count)
      }
      return count == 0 ? nil : count == block.count ? block : Array(block.prefix(count))
    }
    let answer = try await transport.send(request("/upload", .post), body: body).1.collect(upTo: 100)
    precondition(answer == Array("\(BenchmarkServer.largeBytes)".utf8))
    let up = (ContinuousClock.now - start) / .seconds(1)
    return [("down", down), ("up", up), ("peak", Machine.residentBytes(peak: true))]
  }
}

#if canImport(FoundationNetworking)
  /// The peer: an ephemeral session without a cache and with as many connections.
  private struct Session: Sendable {
    private let session: URLSession
    private let url: URL

    init(port: Int) {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.httpMaximumConnectionsPerHost = 6
      session = URLSession(configuration: configuration)
      url = URL(string: "http://127.0.0.1:\(port)/small") ?? URL(filePath: "/")
    }

    func small() async throws {
      let count = try await session.data(from: url).0.count
      precondition(count == 1024)
    }
  }
#endif
