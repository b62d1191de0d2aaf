import SwiftwaterCurl
import SwiftwaterHTTP
import SwiftwaterStreams
import TestSupport
import Testing

@Suite("Request bodies")
struct UploadTests {
  private struct ProducerError: Error, Equatable {}

  private let transport = makeTransport()

  @Test("Bytes go out with their length", arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"], [1, 1_000_003])
  func bytes(name: String, count: Int) async throws {
    let bytes = Array(Pattern.block.prefix(count))
    try await withServer { connection in
      let head = try connection.readHead()
      let body = try connection.read(count)
      try connection.respond(200, head.contains("Content-Length: \(count)\r\n") && body == bytes ? "same" : "other")
    } _: { server in
      let request = HTTPRequest.to(server, HTTPRequest.Method(rawValue: name))
      let (_, body) = try await transport.send(request, body: HTTPBody(bytes))
      #expect(try await body.text() == "same")
    }
  }

  @Test("A stream of unknown length goes out in chunks")
  func chunked() async throws {
    try await withServer { connection in
      let head = try connection.readHead()
      #expect(head.contains("Transfer-Encoding: chunked\r\n"))
      #expect(!head.contains("Content-Length"))
      try connection.respond(200, String(decoding: try connection.readChunkedBody(), as: UTF8.self))
    } _: { server in
      let stream = HTTPBody.stream(["one ", "two ", "three"].map { Array($0.utf8) })
      let (_, body) = try await transport.send(.to(server, .post), body: stream)
      #expect(try await body.text() == "one two three")
    }
  }

  @Test("A stream of known length, from itself or from Content-Length, goes out with it", arguments: [true, false])
  func knownLength(isOwn: Bool) async throws {
    let chunks = (0..<100).map { [UInt8](repeating: UInt8($0), count: 10_007) }
    let count = 100 * 10_007
    try await withServer { connection in
      let head = try connection.readHead()
      #expect(head.contains("Content-Length: \(count)\r\n"))
      #expect(!head.contains("Transfer-Encoding"))
      try connection.respond(200, try connection.read(count) == Array(chunks.joined()) ? "same" : "other")
    } _: { server in
      let stream = HTTPBody.stream(chunks, length: isOwn ? .known(Int64(count)) : .unknown)
      let fields: HTTPFields = isOwn ? [:] : [.contentLength: "\(count)"]
      let (_, body) = try await transport.send(.to(server, .put, fields: fields), body: stream)
      #expect(try await body.text() == "same")
    }
  }

  @Test("A stream without bytes is an empty body", arguments: [HTTPBody.Length.unknown, .known(0)])
  func emptyStream(length: HTTPBody.Length) async throws {
    try await withServer { connection in
      let head = try connection.readHead()
      let body = head.contains("chunked") ? try connection.readChunkedBody() : []
      try connection.respond(200, "\(body.count)")
    } _: { server in
      let (_, body) = try await transport.send(.to(server, .post), body: .stream([], length: length))
      #expect(try await body.text() == "0")
    }
  }

  @Test(
    "A body of another length than announced fails and never makes a complete request", arguments: [9, 11, 500_000])
  func wrongLength(count: Int) async throws {
    let received = LockIsolated(0)
    try await withServer { connection in
      try connection.readHead()
      for _ in 0..<10 {
        _ = try connection.read(1)
        received.withLock { $0 += 1 }
      }
      try connection.respond()
    } _: { server in
      let stream = HTTPBody.stream([[UInt8](repeating: 1, count: count)], length: .known(10))
      let kind = await kind { _ = try await transport.send(.to(server, .post), body: stream) }
      #expect(kind == .invalidRequest)
      #expect(await eventually { server.open == 0 }, "the connection is closed")
      #expect(received.value < 10)
    }
  }

  @Test("What the producer throws is thrown by send, and the transfer ends")
  func producerError() async throws {
    try await withServer { connection in
      try connection.readHead()
      connection.waitForClose()
    } _: { server in
      let count = LockIsolated(0)
      let stream = HTTPBody {
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number == 3 { throw ProducerError() }
        return Array("part".utf8)
      }
      await #expect(throws: ProducerError()) { _ = try await transport.send(.to(server, .post), body: stream) }
      #expect(await eventually { server.accepted == 1 && server.open == 0 }, "the connection is closed")
      #expect(await eventually { await transport.liveCount() == 0 }, "the transfer is gone")
    }
  }

  @Test("A response without a body, once it is dropped, ends an upload that is still under way")
  func answeredBeforeTheEnd() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      connection.waitForClose()
    } _: { server async throws in
      let stream = HTTPBody {
        try await waitForCancellation()
        return nil
      }
      func send() async throws -> HTTPResponse.Status {
        try await transport.send(.to(server, .post), body: stream).0.status
      }
      #expect(try await send() == 204)
      #expect(await eventually { await transport.liveCount() == 0 }, "the transfer is gone")
      #expect(await eventually { server.open == 0 }, "the connection is closed")
    }
  }

  @Test("A slow producer is waited for, and each part goes out before the next is made")
  func slowProducer() async throws {
    let received = LockIsolated(0)
    try await withServer { connection in
      try connection.readHead()
      for _ in 0..<5 {
        _ = try connection.read(100)
        received.withLock { $0 += 1 }
      }
      try connection.respond(200, "ok")
    } _: { server in
      let made = LockIsolated(0)
      let stream = HTTPBody(length: .known(501)) {
        let number = made.withLock { made in
          defer { made += 1 }
          return made
        }
        #expect(await eventually { received.value >= min(number, 5) }, "part \(number) has arrived")
        return number < 5 ? [UInt8](repeating: 0, count: 100) : number == 5 ? [0] : nil
      }
      let (_, body) = try await transport.send(.to(server, .post), body: stream)
      #expect(try await body.text() == "ok")
    }
  }

  @Test("A server that does not read stops the producer")
  func backPressure() async throws {
    let mayRead = Signal()
    let total = 512
    let received = LockIsolated(0)
    try await withServer { connection in
      try connection.readHead()
      mayRead.block()
      let body = try connection.readChunkedBody { count in received.withLock { $0 = count } }
      try connection.respond(200, "\(body.count)")
    } _: { server in
      let made = LockIsolated(0)
      let stream = HTTPBody {
        let number = made.withLock { made in
          made += 1
          return made
        }
        // 16 MB is far more than the buffers hold, and half of the body.
        #expect((number - 1) * 65_536 - received.value < 16_000_000)
        return number <= total ? [UInt8](repeating: 7, count: 65_536) : nil
      }
      async let exchange = transport.send(.to(server, .post), body: stream)
      #expect(await eventually { made.value > 1 }, "the producer has begun")
      #expect(await eventually { !areWritable(socketsConnected(to: server.port)) }, "the sockets' buffers are full")
      mayRead.give()
      let count = try await exchange.1.text()
      #expect(count == "\(total * 65_536)")
    }
  }

  @Test("A server that answers early is heard, although the body is not through", arguments: [true, false])
  func earlyAnswer(isStream: Bool) async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(413, "too large", fields: "Connection: close\r\n")
      connection.finishSending()
      connection.waitForClose()
    } _: { server in
      let chunk = [UInt8](repeating: 1, count: 65_536)
      let body = isStream ? HTTPBody { chunk } : HTTPBody([UInt8](repeating: 1, count: 50_000_000))
      let (response, answer) = try await transport.send(.to(server, .post), body: body)
      #expect(response.status == .contentTooLarge)
      #expect(try await answer.text() == "too large")
      #expect(await eventually { await transport.liveCount() == 0 }, "the transfer is gone")
    }
  }

  @Test(
    "A server that answers early is heard while the producer is slow, and the producer is cancelled",
    arguments: ["Connection: close\r\n", ""])
  func earlyAnswerToSlowProducer(fields: String) async throws {
    let isAtWork = Signal()
    try await withServer { connection in
      try connection.readHead()
      isAtWork.block()
      try connection.respond(413, "too large", fields: fields)
      connection.waitForClose()
    } _: { server in
      let isCancelled = Signal()
      let stream = HTTPBody {
        isAtWork.give()
        do {
          try await waitForCancellation()
        } catch {
          isCancelled.give()
          throw error
        }
        return nil
      }
      let (response, answer) = try await transport.send(.to(server, .post), body: stream)
      #expect(response.status == .contentTooLarge)
      #expect(try await answer.text() == "too large")
      #expect(await eventually { isCancelled.isGiven }, "the producer is cancelled")
    }
  }

  @Test("Cancelling the caller cancels the producer")
  func cancellation() async throws {
    try await withServer { connection in
      try connection.readHead()
      connection.waitForClose()
    } _: { server in
      let isWaiting = Signal()
      let isCancelled = Signal()
      let task = Task {
        let stream = HTTPBody {
          isWaiting.give()
          defer { isCancelled.give() }
          try await waitForCancellation()
          return nil
        }
        return try await transport.send(.to(server, .post), body: stream)
      }
      #expect(await eventually { isWaiting.isGiven }, "the producer is at work")
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
      #expect(await eventually { isCancelled.isGiven }, "the producer is cancelled")
      #expect(await eventually { server.open == 0 }, "the connection is closed")
    }
  }

  @Test("A stream is not touched when no connection comes about, and not read twice")
  func untouched() async throws {
    let server = try ScriptedServer { _ in }
    server.stop()
    let stream = HTTPBody.stream([[1]])
    let isGone = await eventually {
      await kind { _ = try await transport.send(.to(server, .post), body: stream) } == .connectionFailed
    }
    #expect(isGone, "the server is gone")
    #expect(try await stream.collect(upTo: 10) == [1])
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(200, "\(try connection.readChunkedBody().count)")
    } _: { server in
      #expect(await kind { _ = try await transport.send(.to(server, .post), body: stream) } == .bodyAlreadyRead)
    }
  }

  @Test(
    "A stream goes out again on a new connection if it can be read again, and fails otherwise",
    arguments: [true, false])
  func replayed(isReplayable: Bool) async throws {
    try await withServer { connection in
      let head = try connection.readHead()
      guard head.hasPrefix("PUT") else {
        try connection.respond(200, "ok")
        // The kept connection takes the next request and the beginning of its body, and closes without an answer.
        try connection.readHead()
        _ = try connection.read(100_000)
        return
      }
      try connection.respond(200, "\(try connection.readChunkedBody() == Pattern.block)")
    } _: { server in
      _ = try await transport.send(.get(server)).1.text()
      let readings = LockIsolated(0)
      let body: HTTPBody =
        isReplayable
        ? .repeated(Pattern.block) { readings.withLock { $0 += 1 } } : .stream([Pattern.block])
      if isReplayable {
        let (_, answer) = try await transport.send(.to(server, .put), body: body)
        #expect(try await answer.text() == "true")
        #expect(readings.value == 2)
        #expect(server.accepted == 2)
      } else {
        #expect(await kind { _ = try await transport.send(.to(server, .put), body: body) } == .connectionLost)
      }
    }
  }

  @Test("A producer sees the task-local values of the caller")
  func taskLocals() async throws {
    try await withServer { connection in
      try connection.readHead()
      try connection.respond(200, String(decoding: try connection.readChunkedBody(), as: UTF8.self))
    } _: { server in
      let isFirst = LockIsolated(true)
      let stream = HTTPBody {
        guard
          isFirst.withLock({ isFirst in
            defer { isFirst = false }
            return isFirst
          })
        else { return nil }
        return Array((Trace.id ?? "none").utf8)
      }
      let (_, body) = try await Trace.$id.withValue("abc") {
        try await transport.send(.to(server, .post), body: stream)
      }
      #expect(try await body.text() == "abc")
    }
  }
}

private enum Trace {
  @TaskLocal static var id: String?
}
