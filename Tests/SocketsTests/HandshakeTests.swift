import SwiftwaterHTTP
import Testing

@testable import SwiftwaterSockets

@Suite("Opening handshakes")
struct HandshakeTests {
  private let request = HTTPRequest(method: .get, scheme: "ws", authority: "example.com:8080", path: "/chat?x=%20y")

  private func handshake(
    _ change: (inout HTTPRequest) -> Void = { _ in }, protocols: [String] = [],
    compression: WebSocketConfiguration.Compression? = nil
  ) throws(WebSocketError) -> WebSocketClientHandshake {
    var request = request
    change(&request)
    var configuration = WebSocketConfiguration()
    configuration.compression = compression
    return try WebSocketClientHandshake(request, protocols: protocols, configuration: configuration)
  }

  @Test("The key of RFC 6455 §1.3 gives the answer printed there")
  func key() {
    #expect(WebSocketKey("dGhlIHNhbXBsZSBub25jZQ==")?.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    for wrong in ["", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ=!", "dGhlIHNhbXBsZSBub25jZWQxMjM0", "AAAA"] {
      #expect(WebSocketKey(wrong) == nil, "\(wrong)")
    }
    #expect(WebSocketKey() != WebSocketKey())
  }

  @Test("A client's request has what RFC 6455 §4.1 asks for, and the caller's fields")
  func clientRequest() throws {
    let handshake = try handshake(
      { $0.headerFields = [.authorization: "Bearer token", .userAgent: "mine"] }, protocols: ["a", "b"],
      compression: .init())
    let fields = handshake.request.headerFields
    #expect(handshake.request.scheme == "http")
    #expect(fields[.host] == "example.com:8080")
    #expect(fields[.upgrade] == "websocket")
    #expect(fields[.connection] == "Upgrade")
    #expect(fields[.secWebSocketVersion] == "13")
    #expect(fields[.secWebSocketProtocol] == "a, b")
    #expect(fields[.secWebSocketExtensions] == "permessage-deflate; client_max_window_bits")
    #expect(fields[.authorization] == "Bearer token")
    #expect(fields[values: .userAgent] == ["mine"])
    let text = String(decoding: handshake.requestBytes, as: UTF8.self)
    #expect(text.hasPrefix("GET /chat?x=%20y HTTP/1.1\r\nHost: example.com:8080\r\n"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test("A request that cannot open a WebSocket is refused before anything is sent")
  func invalidRequests() {
    let changes: [(String, (inout HTTPRequest) -> Void)] = [
      ("method", { $0.method = .post }), ("scheme", { $0.scheme = "ftp" }), ("no scheme", { $0.scheme = nil }),
      ("authority", { $0.authority = "user@host" }), ("no authority", { $0.authority = nil }),
      ("path", { $0.path = "/a b" }), ("empty path", { $0.path = "" }), ("fragment", { $0.path = "/a#b" }),
      ("line break", { $0.headerFields = [.authorization: "a\r\nEvil: b"] }),
      ("own field", { $0.headerFields = [.secWebSocketKey: "x"] }),
      ("upgrade", { $0.headerFields = [.upgrade: "h2c"] }),
    ]
    for (name, change) in changes {
      #expect(throws: WebSocketError.self, "\(name)") { try handshake(change) }
    }
    for protocols in [["a", "a"], ["a b"], [""]] {
      #expect(throws: WebSocketError.self) { try handshake(protocols: protocols) }
    }
  }

  /// Both sides' handshakes, with the server's choice.
  private func agree(
    client: WebSocketConfiguration.Compression?, server: WebSocketConfiguration.Compression?,
    protocols: [String] = [], choice: String? = nil
  ) throws -> (client: WebSocketAgreement, server: WebSocketAgreement) {
    let handshake = try handshake(protocols: protocols, compression: client)
    let answering = try WebSocketServerHandshake(handshake.request)
    #expect(answering.protocols == protocols)
    var configuration = WebSocketConfiguration()
    configuration.compression = server
    let (response, agreement) = answering.response(subprotocol: choice, configuration: configuration)
    return (try handshake.accept(response), agreement)
  }

  @Test("Client and server agree on the same, whatever each is configured to")
  func agreement() throws {
    var settings: [WebSocketConfiguration.Compression?] = [nil]
    for takeover in [true, false] {
      for bits in [9, 12, 15] { settings.append(.init(allowsContextTakeover: takeover, windowBits: bits)) }
    }
    for client in settings {
      for server in settings {
        let agreed = try agree(client: client, server: server)
        #expect((agreed.client.compression == nil) == (client == nil || server == nil))
        #expect(agreed.client == agreed.server, "\(String(describing: client)) and \(String(describing: server))")
      }
    }
    let chosen = try agree(client: nil, server: nil, protocols: ["v1", "v2"], choice: "v2")
    #expect(chosen.client.subprotocol == "v2")
    #expect(chosen.server.subprotocol == "v2")
    let none = try agree(client: nil, server: nil, protocols: ["v1"], choice: nil)
    #expect(none.client.subprotocol == nil)
    let unknown = try agree(client: nil, server: nil, protocols: ["v1"], choice: "other")
    #expect(unknown.server.subprotocol == nil)
  }

  @Test("A response that does not fit is not taken")
  func invalidResponses() throws {
    let handshake = try handshake(protocols: ["a"], compression: .init())
    let good = try WebSocketServerHandshake(handshake.request).response(
      subprotocol: "a", configuration: WebSocketConfiguration()
    ).response
    #expect(throws: Never.self) { try handshake.accept(good) }
    let changes: [(String, (inout HTTPFields) -> Void)] = [
      ("no upgrade", { $0[.upgrade] = nil }), ("other upgrade", { $0[.upgrade] = "h2c" }),
      ("no connection", { $0[.connection] = "close" }), ("no accept", { $0[.secWebSocketAccept] = nil }),
      ("wrong accept", { $0[.secWebSocketAccept] = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" }),
      ("other protocol", { $0[.secWebSocketProtocol] = "b" }),
      ("two protocols", { $0[values: .secWebSocketProtocol] = ["a", "a"] }),
      ("other extension", { $0[.secWebSocketExtensions] = "x-other" }),
      ("two extensions", { $0[.secWebSocketExtensions] = "permessage-deflate, permessage-deflate" }),
      ("malformed extension", { $0[.secWebSocketExtensions] = "permessage-deflate;" }),
    ]
    for (name, change) in changes {
      var response = good
      change(&response.headerFields)
      let error = #expect(throws: WebSocketError.self, "\(name)") { try handshake.accept(response) }
      #expect(error?.code == .invalidHandshake)
    }
    var lenient = good
    lenient.headerFields[.connection] = "keep-alive, UPGRADE"
    lenient.headerFields[.upgrade] = "WebSocket"
    #expect(throws: Never.self) { try handshake.accept(lenient) }
  }

  @Test("Another status than 101 is a refusal that carries it", arguments: [200, 301, 401, 403, 404, 500])
  func refusals(_ status: Int) throws {
    let handshake = try handshake()
    let error = #expect(throws: WebSocketError.self) {
      try handshake.accept(HTTPResponse(status: .init(code: status)))
    }
    #expect(error?.code == .refused)
    #expect(error?.status?.code == status)
  }

  @Test("A server refuses what is no handshake, with the status that says why")
  func serverRefusals() throws {
    let good = try handshake().request
    let changes: [(String, Int, (inout HTTPRequest) -> Void)] = [
      ("method", 405, { $0.method = .post }), ("no upgrade", 426, { $0.headerFields[.upgrade] = nil }),
      ("connection", 426, { $0.headerFields[.connection] = "keep-alive" }),
      ("version 8", 426, { $0.headerFields[.secWebSocketVersion] = "8" }),
      ("no version", 426, { $0.headerFields[.secWebSocketVersion] = nil }),
      ("no key", 400, { $0.headerFields[.secWebSocketKey] = nil }),
      ("short key", 400, { $0.headerFields[.secWebSocketKey] = "AAAA" }),
      ("two keys", 400, { $0.headerFields[values: .secWebSocketKey] += ["dGhlIHNhbXBsZSBub25jZQ=="] }),
      ("extensions", 400, { $0.headerFields[.secWebSocketExtensions] = "a;;" }),
      ("protocols", 400, { $0.headerFields[.secWebSocketProtocol] = "a b" }),
    ]
    for (name, status, change) in changes {
      var request = good
      change(&request)
      let refusal = #expect(throws: WebSocketServerHandshake.Refusal.self, "\(name)") {
        try WebSocketServerHandshake(request)
      }
      #expect(refusal?.response.status.code == status, "\(name)")
      if status == 426 { #expect(refusal?.response.headerFields[.upgrade] == "websocket") }
    }
    var old = good
    old.headerFields[.secWebSocketVersion] = "8"
    let refusal = #expect(throws: WebSocketServerHandshake.Refusal.self) { try WebSocketServerHandshake(old) }
    #expect(refusal?.response.headerFields[.secWebSocketVersion] == "13")
    var browser = good
    browser.headerFields[.connection] = "keep-alive, Upgrade"
    #expect(throws: Never.self) { try WebSocketServerHandshake(browser) }
    #expect(!WebSocketServerHandshake.isRequested(by: HTTPRequest(method: .get)))
  }

  @Test("A response is read from bytes at every split point, with what follows it")
  func responseBytes() throws {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nX-Empty:\r\nX-Space: \t a b \r\n\r\n"
    let bytes = Array(head.utf8) + [0x81, 1, 0x61]
    for split in 0...bytes.count {
      var parser = WebSocketResponseParser()
      let first = try Array(bytes[..<split]).withUnsafeBytes { try parser.take($0) }
      var rest: [UInt8] = first?.rest ?? []
      var response = first?.response
      if response == nil {
        let second = try Array(bytes[split...]).withUnsafeBytes { try parser.take($0) }
        response = second?.response
        rest = second?.rest ?? []
      } else {
        rest += bytes[split...]
      }
      #expect(response?.status.code == 101)
      #expect(response?.headerFields[.upgrade] == "websocket")
      #expect(response?.headerFields.map(\.value) == ["websocket", "", "a b"])
      #expect(rest == [0x81, 1, 0x61])
    }
  }

  @Test("Provisional responses are passed over")
  func provisionalResponses() throws {
    let text = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Yes\r\n\r\nrest"
    for part in [1, 7, 1000] {
      var parser = WebSocketResponseParser()
      var bytes = Array(text.utf8)[...]
      var taken: (response: HTTPResponse, rest: [UInt8])?
      while taken == nil, !bytes.isEmpty {
        taken = try Array(bytes.prefix(part)).withUnsafeBytes { try parser.take($0) }
        bytes = bytes.dropFirst(part)
      }
      let (response, rest) = try #require(taken)
      #expect(response.status == 101)
      #expect(rest + bytes == Array("rest".utf8))
      #expect(response.headerFields.isEmpty)
    }
  }

  @Test("Empty members of a list of extensions are passed over")
  func emptyListMembers() {
    for (text, count) in [("", 0), (" , permessage-deflate,, ", 1), ("a, ,b", 2)] {
      #expect(WebSocketExtension.list(in: [.secWebSocketExtensions: text])?.count == count)
    }
  }

  @Test(
    "Bytes that are no response are refused",
    arguments: [
      "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/2 101\r\n\r\n", "HTTP/1.1 1x1 No\r\n\r\n", "HTTP/1.1 101\r\nno colon\r\n\r\n",
      "HTTP/1.1 101\r\n bad: x\r\n\r\n", "\r\n\r\n",
    ])
  func noResponse(_ text: String) {
    var parser = WebSocketResponseParser()
    let error = #expect(throws: WebSocketError.self) { try Array(text.utf8).withUnsafeBytes { try parser.take($0) } }
    #expect(error?.code == .invalidHandshake)
  }

  @Test("A head without end is refused")
  func endlessHead() {
    var parser = WebSocketResponseParser()
    let line = Array("X-Field: value\r\n".utf8)
    let error = #expect(throws: WebSocketError.self) {
      for _ in 0..<10_000 { _ = try line.withUnsafeBytes { try parser.take($0) } }
    }
    #expect(error?.code == .invalidHandshake)
  }
}
