import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Cancellation")
struct CancellationTests {
  private let transport = makeTransport()

  @Test("A cancelled send throws CancellationError, and its connection is closed")
  func send() async throws {
    try await withServer { connection in
      try connection.readHead()
      connection.waitForClose()
    } _: { server in
      let task = Task { try await transport.send(.get(server)) }
      #expect(await eventually { server.heads.count == 1 }, "the request has arrived")
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(await eventually { server.open == 0 }, "the connection is closed")
      #expect(await transport.liveCount() == 0)
    }
  }

  @Test("A task that is cancelled already sends nothing")
  func cancelledBefore() async throws {
    try await withServer {
      try $0.respond()
    } _: { server in
      let task = Task {
        #expect(await eventually { Task.isCancelled }, "this task is cancelled")
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
        if !isWaiting { #expect(await eventually { Task.isCancelled }, "this task is cancelled") }
        while try await iterator.next() != nil {}
      }
      #expect(await eventually { isReading.isGiven }, "the head has arrived")
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(await eventually { server.open == 0 }, "the connection is closed")
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
        #expect(await transport.liveCount() == 1)
        if isBegun { for try await _ in body { break } }
      }
      try await openAndDrop()
      #expect(await eventually { server.open == 0 }, "the connection is closed")
      #expect(await eventually { await transport.liveCount() == 0 }, "the transfer is gone")
    }
  }

  @Test("19,200 cancelled requests leave no transfer, no socket and no task")
  func storm() async throws {
    let transport = makeTransport(CurlTransport.Configuration())
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
      #expect(await eventually { transport.engine.liveTransferCount == 0 }, "no transfer is left")
      // Kept connections that are free: as many as one host may have.
      #expect(await eventually { socketsConnected(to: server.port).count <= 6 }, "only kept connections are open")
      transport.shutdown()
      #expect(await eventually { socketsConnected(to: server.port).count == 0 }, "every socket is closed")
      #expect(await eventually { server.open == 0 }, "the server's too")
    }
  }
}
