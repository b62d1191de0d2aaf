import BenchmarkSupport
import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterSockets

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Measures in turns with the floor, so that a busy machine slows both alike, and reports medians.
struct WebSocketBenchmark {
  private let rounds = 5
  private let pipelined = 300_000
  private let roundTrips = 5000

  func run() async throws -> Report? {
    let server = Child(["serve"])
    guard let port = server.next(), port.name == "port" else { return nil }
    let (echoes, trips, floorTrips) = try await measure(port: UInt16(port.value))
    withExtendedLifetime(server) {}
    let rate = median(echoes.map(\.rate))
    let (middle, late) = (median(trips.map(\.median)), median(trips.map(\.late)))
    let floor = median(floorTrips.map(\.median))
    return Report(
      "websocket", floor: "bare socket",
      [
        Figure("pipelined echoes of 32 bytes", rate, "/s", .valueAtLeast(400_000)),
        Figure("pipelined echoes of 32 bytes, both ways", median(echoes.map(\.processor)) / 1e3, "us CPU"),
        Figure("bare socket, round trip, median", floor, "us"),
        Figure("round trip, median", middle, "us", ratio: middle / floor, .valueAtMost(150)),
        Figure("round trip, 99th percentile", late, "us", ratio: late / floor),
      ])
  }

  typealias Echoes = (rate: Double, processor: Double)
  typealias Trips = (median: Double, late: Double)

  @concurrent
  private func measure(port: UInt16) async throws -> ([Echoes], [Trips], [Trips]) {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .none
    let transport = CurlTransport(configuration: configuration)
    let socket = try await transport.connect(
      HTTPRequest(method: .get, scheme: "ws", authority: "127.0.0.1:\(port)", timeout: .seconds(10)))
    let bare = connectSocket(port: port)
    var (echoes, trips, floor): ([Echoes], [Trips], [Trips]) = ([], [], [])
    for round in 0..<rounds {
      Machine.progress("round \(round + 1) of \(rounds)")
      echoes.append(try await pipeline(socket))
      trips.append(try await roundTrips(socket))
      floor.append(bareRoundTrips(bare))
    }
    Machine.progress("")
    await socket.close()
    close(bare)
    return (echoes, trips, floor)
  }

  private func pipeline(_ socket: any WebSocketConnection) async throws -> Echoes {
    let message = [UInt8](repeating: UInt8(ascii: "x"), count: 32)
    let (start, processor) = (ContinuousClock.now, Machine.processorTime())
    async let sending: Void = send(message, on: socket)
    for _ in 0..<pipelined {
      guard case .binary(let bytes) = try await socket.receive(), bytes.count == 32 else { break }
    }
    try await sending
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return (Double(pipelined) / seconds, (Machine.processorTime() - processor) / Double(pipelined))
  }

  @concurrent
  private func send(_ message: [UInt8], on socket: any WebSocketConnection) async throws {
    for _ in 0..<pipelined { try await socket.send(.binary(message)) }
  }

  private func roundTrips(_ socket: any WebSocketConnection) async throws -> Trips {
    let message = [UInt8](repeating: UInt8(ascii: "x"), count: 32)
    var times: [Double] = []
    for _ in 0..<roundTrips {
      let start = ContinuousClock.now
      try await socket.send(.binary(message))
      _ = try await socket.receive()
      times.append((ContinuousClock.now - start) / .microseconds(1))
    }
    return percentiles(times)
  }

  private func bareRoundTrips(_ descriptor: Int32) -> Trips {
    var message = [UInt8](repeating: UInt8(ascii: "!"), count: 32)
    var times: [Double] = []
    for _ in 0..<roundTrips {
      let start = ContinuousClock.now
      write(descriptor, message, message.count)
      var count = 0
      while count < message.count {
        let more = read(descriptor, &message, message.count - count)
        guard more > 0 else { return (.nan, .nan) }
        count += more
      }
      times.append((ContinuousClock.now - start) / .microseconds(1))
    }
    return percentiles(times)
  }

  private func connectSocket(port: UInt16) -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    withUnsafeBytes(of: &address) { bytes in
      _ = connect(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
    }
    return descriptor
  }

  private func percentiles(_ times: [Double]) -> Trips {
    let sorted = times.sorted()
    return (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
  }
}
