import Testing

@testable import SwiftwaterSockets

@Suite("Sessions")
struct SessionTests {
  // MARK: - Sizes

  @Test("A frame above its limit ends the connection with 1009 before its payload has come")
  func frameTooBig() {
    var configuration = WebSocketConfiguration()
    configuration.maximumFrameBytes = 1000
    var bench = SessionBench(.client, configuration: configuration)
    bench.receive(RawFrame(2, [UInt8](repeating: 0, count: 1000)))
    #expect(bench.messages().count == 1)
    bench.receive([0x82, 126, 0x03, 0xE9])
    bench.ask()
    #expect(bench.sent() == [.close(1009)])
    #expect(bench.end == "messageTooBig")
  }

  @Test("A message of many frames is counted as a whole")
  func messageTooBig() {
    var configuration = WebSocketConfiguration()
    configuration.maximumMessageBytes = 1000
    for surplus in [0, 1] {
      var bench = SessionBench(.server, configuration: configuration)
      bench.receive(
        RawFrame(2, [UInt8](repeating: 1, count: 600), isFinal: false),
        RawFrame(0, [UInt8](repeating: 2, count: 400 + surplus)))
      #expect(bench.messages().count == 1 - surplus)
      bench.ask()
      #expect(bench.end == (surplus == 1 ? "messageTooBig" : nil))
    }
  }

  @Test("A full inbox leaves the rest of the bytes, and takes them when there is room")
  func fullInbox() {
    var configuration = WebSocketConfiguration()
    configuration.receiveBufferBytes = 1000
    var bench = SessionBench(.client, configuration: configuration)
    let bytes = (0..<100).flatMap { RawFrame(1, "message \($0)").bytes }
    let taken = bench.receive(bytes)
    #expect(taken < bytes.count)
    #expect(bench.session.isFull)
    let first = bench.messages()
    #expect(first.count < 40)
    var rest = bytes[taken...]
    var messages = first
    while !rest.isEmpty {
      let count = bench.receive(Array(rest))
      rest = rest.dropFirst(count)
      messages += bench.messages()
    }
    #expect(messages == (0..<100).map { .text("message \($0)") })
  }

  // MARK: - Pings

  @Test("Pings are answered with their payload, in order, also within a message")
  func pings() {
    var bench = SessionBench(.server)
    bench.receive(RawFrame(9, "a"), RawFrame(1, "x", isFinal: false), RawFrame(9, "b"), RawFrame(0, "y"), RawFrame(9))
    #expect(bench.sent() == [.pong("a"), .pong("b"), .pong()])
    #expect(bench.messages() == [.text("xy")])
  }

  @Test("Who pings and does not read gets one pong for the pings that did not fit")
  func pingFlood() {
    var configuration = WebSocketConfiguration()
    configuration.sendBufferBytes = 100
    var bench = SessionBench(.server, configuration: configuration)
    for index in 0..<1000 { bench.receive(RawFrame(9, "ping \(index)")) }
    let sent = bench.sent()
    #expect(sent.count < 20)
    #expect(sent.first == .pong("ping 0"))
    #expect(sent.last == .pong("ping 999"))
  }

  // MARK: - Closing

  @Test("A Close is answered when the messages before it have been taken")
  func answersClose() {
    var bench = SessionBench(.server)
    bench.receive(RawFrame(1, "last"), RawFrame(8, [3, 232]))
    bench.ask()
    #expect(bench.sent().isEmpty)
    #expect(bench.messages() == [.text("last")])
    bench.send("reply")
    bench.ask()
    bench.ask()
    #expect(bench.sent() == [.text("reply"), .close(1000)])
    #expect(bench.end == "clean")
    #expect(!bench.session.canSend)
  }

  @Test("What came before a violation can be replied to, until the deadline")
  func violationAfterMessage() {
    var prompt = SessionBench(.server)
    prompt.receive(RawFrame(1, "good"), RawFrame(3))
    prompt.ask()
    #expect(prompt.end == nil)
    #expect(prompt.messages() == [.text("good")])
    prompt.send("reply")
    prompt.ask()
    #expect(prompt.sent() == [.text("reply"), .close(1002)])
    #expect(prompt.end == "protocolViolation")

    var late = SessionBench(.server)
    late.receive(RawFrame(1, "unread"), RawFrame(3))
    #expect(late.tick(0) == 5)
    #expect(late.tick(5) == 10)
    #expect(late.sent() == [.close(1002)])
    #expect(late.messages() == [.text("unread")])
    #expect(late.tick(6) == 11)
    #expect(late.tick(11) == nil)
    #expect(late.session.isAbandoned)

    var closing = SessionBench(.client)
    closing.session.close(code: .normalClosure, reason: "")
    closing.receive(RawFrame(3))
    #expect(closing.end == "protocolViolation")
    #expect(closing.sent() == [.close(1000)])

    var closed = SessionBench(.client)
    closed.receive(RawFrame(3))
    closed.session.close(code: .normalClosure, reason: "")
    #expect(closed.end == "protocolViolation")

    var lost = SessionBench(.server)
    lost.receive(RawFrame(3))
    lost.session.linkClosed(nil)
    lost.session.concludeIfLinkClosed()
    #expect(lost.end == "protocolViolation")
  }

  @Test("Whoever closes first, and both at once, the handshake ends clean")
  func closeOrders() {
    var first = SessionBench(.client)
    first.session.close(code: .normalClosure, reason: "done")
    #expect(first.sent() == [.close(1000, "done")])
    #expect(first.end == nil)
    first.receive(RawFrame(8, [3, 232]))
    #expect(first.end == "clean")

    var both = SessionBench(.server)
    both.session.close(code: .goingAway, reason: "")
    both.receive(RawFrame(8, [0x0F, 0xA0]))
    #expect(both.end == "clean")
    #expect(both.session.peerCode?.rawValue == 4000)
    #expect(both.sent() == [.close(1001)])

    var answeredByCall = SessionBench(.server)
    answeredByCall.receive(RawFrame(8, [3, 232]))
    answeredByCall.session.close(code: .init(rawValue: 4001), reason: "mine")
    #expect(answeredByCall.sent() == [.close(4001, "mine")])
    #expect(answeredByCall.end == "clean")
  }

  @Test("Nothing behind a Close frame is looked at, and nothing after a failure")
  func ignoresTheRest() {
    var bench = SessionBench(.client)
    let bytes = RawFrame(8, [3, 232]).bytes + RawFrame(1, "late").bytes + [0xFF, 0xFF]
    #expect(bench.receive(bytes) == bytes.count)
    bench.ask()
    #expect(bench.messages().isEmpty)
    #expect(bench.end == "clean")

    var failed = SessionBench(.client)
    let more = [0xFF, 0xFF] + RawFrame(1, "late").bytes
    #expect(failed.receive(more) == more.count)
    #expect(failed.messages().isEmpty)
    failed.ask()
    #expect(failed.sent() == [.close(1002)])
  }

  @Test("Messages that arrive after the own Close are dropped")
  func dropsAfterClose() {
    var bench = SessionBench(.client)
    bench.receive(RawFrame(1, "before"))
    bench.session.close(code: .normalClosure, reason: "")
    bench.receive(RawFrame(1, "after"), RawFrame(9, "ping"))
    #expect(bench.messages() == [.text("before")])
    #expect(bench.sent() == [.close(1000)])
  }

  @Test("Codes that must not be sent are replaced, and a long reason is cut at a character")
  func closeArguments() {
    for (code, sent) in [(1005, nil), (1006, 1000), (999, 1000), (4999, 4999)] as [(UInt16, UInt16?)] {
      var bench = SessionBench(.server)
      bench.session.close(code: .init(rawValue: code), reason: "")
      #expect(bench.sent() == [.close(sent)])
    }
    var bench = SessionBench(.server)
    bench.session.close(code: .normalClosure, reason: String(repeating: "é", count: 100))
    #expect(bench.sent() == [.close(1000, String(repeating: "é", count: 61))])
  }

  @Test("A link that ends without a Close is a loss, with the driver's reason if it has one")
  func lost() {
    for reason in [nil, WebSocketError(code: .connectionLost, message: "reset by peer")] {
      var bench = SessionBench(.client)
      bench.send("unsent")
      bench.session.linkClosed(reason)
      bench.session.concludeIfLinkClosed()
      #expect(bench.end == "connectionLost")
      #expect(bench.session.failure?.message == reason?.message ?? "The connection ended without a closing handshake.")
      #expect(bench.sent().isEmpty)
    }
    var clean = SessionBench(.client)
    clean.receive(RawFrame(8, [3, 232]))
    clean.session.linkClosed(nil)
    clean.session.concludeIfLinkClosed()
    #expect(clean.end == "clean")
  }

  // MARK: - Time

  @Test("A Close that is not answered in time ends in a timeout and cuts the link")
  func closeDeadline() {
    var bench = SessionBench(.client)
    bench.session.close(code: .normalClosure, reason: "")
    #expect(bench.tick(1) == 6)
    #expect(bench.tick(5.9) == 6)
    #expect(bench.end == nil)
    #expect(bench.tick(6) == nil)
    #expect(bench.end == "timeout")
    #expect(bench.session.isAbandoned)
  }

  @Test("What stands before a Close has time as long as the network takes it")
  func closeBehindOutput() {
    var bench = SessionBench(.client)
    for _ in 0..<3 { bench.send(String(repeating: "x", count: 70_000)) }
    bench.session.close(code: .normalClosure, reason: "")
    #expect(bench.tick(0) == 5)
    for second in [4, 8, 12, 16] as [Double] {
      _ = bench.session.takeOutput()
      #expect(bench.tick(second) == second + 5)
    }
    #expect(bench.session.output.isEmpty)
    #expect(bench.tick(20) == 21)
    #expect(bench.tick(21) == nil)
    #expect(bench.end == "timeout")
  }

  @Test("After the handshake the peer has as long to end the connection")
  func lingerDeadline() {
    var bench = SessionBench(.server)
    bench.receive(RawFrame(8, [3, 232]))
    bench.ask()
    #expect(bench.tick(0) == 5)
    #expect(!bench.session.isAbandoned)
    #expect(bench.tick(5) == nil)
    #expect(bench.session.isAbandoned)
    #expect(bench.end == "clean")
  }

  @Test("A Close behind messages that nobody takes is answered at the deadline; they can still be taken")
  func unreadMessages() {
    var bench = SessionBench(.server)
    bench.receive(RawFrame(1, "unread"), RawFrame(8, [3, 232]))
    #expect(bench.tick(0) == 5)
    #expect(bench.sent().isEmpty)
    #expect(bench.tick(5) == 10)
    #expect(bench.sent() == [.close(1000)])
    #expect(!bench.session.isAbandoned)
    #expect(bench.messages() == [.text("unread")])
    #expect(bench.tick(6) == 11)
    #expect(bench.tick(11) == nil)
    #expect(bench.session.isAbandoned)
  }

  @Test("Silence leads to a ping, more silence to the end; any byte is a sign of life")
  func keepalive() {
    var bench = SessionBench(.client)
    #expect(bench.tick(0) == 30)
    #expect(bench.tick(29.9) == 30)
    bench.receive(RawFrame(1, "alive"), at: 20)
    #expect(bench.tick(30) == 50)
    #expect(bench.sent().isEmpty)
    #expect(bench.tick(50) == 65)
    #expect(bench.sent() == [.ping()])
    bench.receive([0x81], at: 60)
    #expect(bench.tick(65) == 90)
    #expect(bench.tick(91) == 106)
    #expect(bench.sent() == [.ping()])
    #expect(bench.tick(105) == 106)
    #expect(bench.end == nil)
    #expect(bench.tick(106) == nil)
    #expect(bench.end == "timeout")
    #expect(bench.session.isAbandoned)
  }

  @Test("While the application holds the peer back, its silence proves nothing")
  func pausedKeepalive() {
    var bench = SessionBench(.client)
    #expect(bench.tick(30) == 45)
    #expect(bench.tick(60, isReadingPaused: true) == 90)
    #expect(bench.end == nil)
    #expect(bench.tick(89) == 90)
    #expect(bench.tick(90) == 105)
  }

  @Test("A ping that waits behind other output has time as long as that output moves")
  func queuedPing() {
    var bench = SessionBench(.client)
    for _ in 0..<3 { bench.send(String(repeating: "x", count: 70_000)) }
    #expect(bench.tick(30) == 45)
    _ = bench.session.takeOutput()
    #expect(bench.tick(44) == 59)
    _ = bench.session.takeOutput()
    #expect(bench.tick(58) == 73)
    #expect(bench.tick(73) == nil)
    #expect(bench.end == "timeout")
  }

  @Test("No keepalive, no pings")
  func noKeepalive() {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = nil
    var bench = SessionBench(.client, configuration: configuration)
    #expect(bench.tick(1_000_000) == nil)
    #expect(bench.sent().isEmpty)
  }

  @Test("Frames larger than a chunk leave unchanged and in order")
  func largeOutput() {
    var bench = SessionBench(.client)
    let texts = [10, 65_530, 3, 200_000, 1, 1, 65_536, 5].map { String(repeating: "z", count: $0) }
    for text in texts { bench.send(text) }
    let count = bench.session.output.count
    #expect(bench.sent() == texts.map { .text($0) })
    #expect(bench.session.output.takenCount == count)
    #expect(bench.session.output.isEmpty)
  }
}
