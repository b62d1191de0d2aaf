import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

@Suite("Cancellation")
struct CancellationTests {
  private let transport = CurlTransport()

  @Test("A cancelled send throws CancellationError, and its connection is closed")
  func send() async throws {
    try await withServer { connection in
      try connection.readHead()
      connection.waitForClose()
    } _: { server in
      let task = Task { try await transport.send(.get(server)) }
      await eventually("the request has arrived") { server.heads.count == 1 }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      await eventually("the connection is closed") { server.open == 0 }
      #expect(transport.engine.liveTransferCount == 0)
    }
  }

  @Test("A task that is cancelled already sends nothing")
  func cancelledBefore() async throws {
    try await withServer {
      try $0.respond()
    } _: { server in
      let task = Task {
        await eventually("this task is cancelled") { Task.isCancelled }
        _ = try await transport.send(.get(server))
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(server.accepted == 0)
    }
  }

  @Test("A cancelled reader throws CancellationError, and its connection is closed", arguments: [true, false])
  func body(isWaiting: Bool) async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
      connection.waitForClose()
    } _: { server in
      let isReading = Signal()
      let task = Task {
        let (_, body) = try await transport.send(.get(server))
        var iterator = body.makeAsyncIterator()
        if isWaiting { _ = try await iterator.next() }
        isReading.give()
        if !isWaiting { await eventually("this task is cancelled") { Task.isCancelled } }
        while try await iterator.next() != nil {}
      }
      await eventually("the head has arrived") { isReading.isGiven }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await eventually("the connection is closed") { server.open == 0 }
    }
  }

  @Test("A body that is dropped, begun or not, ends its transfer", arguments: [true, false])
  func drop(isBegun: Bool) async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")
      connection.waitForClose()
    } _: { server in
      func openAndDrop() async throws {
        let (_, body) = try await transport.send(.get(server))
        #expect(transport.engine.liveTransferCount == 1)
        if isBegun { for try await _ in body { break } }
      }
      try await openAndDrop()
      await eventually("the connection is closed") { server.open == 0 }
      await eventually("the transfer is gone") { transport.engine.liveTransferCount == 0 }
    }
  }

  @Test("19,200 cancelled requests leave no transfer, no socket and no task")
  func storm() async throws {
    try await withServer { connection in
      while true {
        try connection.readHead()
        // Half of the requests get an answer, of which some are large.
        if connection.number.isMultiple(of: 2) { try connection.respond(200, String(repeating: "x", count: 50_000)) }
      }
    } _: { server in
      for round in 0..<300 {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<64 {
            group.addTask {
              guard let (_, body) = try? await transport.send(.get(server, "/\(number)")) else { return }
              _ = try? await body.collect(upTo: 100_000)
            }
          }
          for _ in 0..<(round % 7) { await Task.yield() }
          group.cancelAll()
        }
      }
      await eventually("no transfer is left") { transport.engine.liveTransferCount == 0 }
      // Kept connections that are free: as many as one host may have.
      await eventually("only kept connections are open") { socketsConnected(to: server.port) <= 6 }
      transport.shutdown()
      await eventually("every socket is closed") { socketsConnected(to: server.port) == 0 }
      await eventually("the server's too") { server.open == 0 }
    }
  }
}
