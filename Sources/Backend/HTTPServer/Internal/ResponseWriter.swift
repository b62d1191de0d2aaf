internal import SwiftwaterHTTP

/// Turns a response into bytes: how its body is framed, and what its head says.
struct ResponseWriter {
  /// How the client learns where the body ends (RFC 9112 §6.3).
  enum Framing: Equatable {
    /// There is no body, and nothing to say about its length.
    case none
    case length(Int64)
    case chunked
    case untilClose
  }

  let response: ServerResponse
  let framing: Framing
  /// False for answers to `HEAD`, whose head speaks of a body that is not sent.
  let sendsBody: Bool
  private let request: RequestTraits

  /// Nil when the response cannot go on the wire: a status that ends no exchange, a field value with CR, LF or NUL.
  init?(_ response: ServerResponse, to request: RequestTraits) {
    guard 200...999 ~= response.head.status.code,
      response.head.headerFields.allSatisfy({ HTTPField.isValidValue($0.value) })
    else { return nil }
    self.response = response
    self.request = request
    switch (response.head.status, response.body.length) {
    case (.noContent, _), (304, _): framing = .none
    case (_, .known(0)) where request.isHead: framing = Self.toldLength(response).map(Framing.length) ?? .none
    case (_, .known(let length)): framing = .length(length)
    case (_, .unknown): framing = request.isVersion10 ? .untilClose : .chunked
    }
    sendsBody = framing != .none && !request.isHead
  }

  /// Whether another response may follow on the connection.
  var allowsKeepAlive: Bool {
    if sendsBody, framing == .untilClose { return false }
    return response.head.headerFields[.connection]?.lowercased() != "close"
  }

  /// The status line and the fields, with room for `count` bytes of body.
  func head(keepsAlive: Bool, date: String, reserving count: Int) -> [UInt8] {
    let fields = response.head.headerFields
    let reason = response.head.status.reasonPhrase
    // What stands beside the fields is below 256 bytes.
    let length = fields.reduce(reason.utf8.count) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 }
    return [UInt8](unsafeUninitializedCapacity: 256 + length + count) { buffer, end in
      var head = HeadBuffer(buffer)
      write(fields, reason: reason, keepsAlive: keepsAlive, date: date, into: &head)
      end = head.count
    }
  }

  private func write(_ fields: HTTPFields, reason: String, keepsAlive: Bool, date: String, into head: inout HeadBuffer)
  {
    head.append("HTTP/1.1 ")
    head.append(response.head.status.code)
    head.append(" ")
    head.append(reason)
    head.append("\r\n")
    var (hasDate, offersUpgrade) = (false, false)
    for field in fields {
      // Names are told apart by their lengths first: every response comes by here.
      switch field.name.canonicalName.utf8.count {
      case 14 where field.name == .contentLength: continue
      case 17 where field.name == .transferEncoding: continue
      case 10 where field.name == .connection: continue
      case 4 where field.name == .date: hasDate = true
      case 7 where field.name == .upgrade: offersUpgrade = true
      default: break
      }
      head.append(field.name.rawName)
      head.append(": ")
      head.append(field.value)
      head.append("\r\n")
    }
    if !hasDate {
      head.append("Date: ")
      head.append(date)
      head.append("\r\n")
    }
    switch framing {
    case .none, .untilClose: break
    case .length(let length):
      head.append("Content-Length: ")
      head.append(Int(length))
      head.append("\r\n")
    case .chunked: head.append("Transfer-Encoding: chunked\r\n")
    }
    // What an answer says of an upgrade holds for this connection only (RFC 9110 §7.8).
    if !keepsAlive {
      head.append(offersUpgrade ? "Connection: upgrade, close\r\n" : "Connection: close\r\n")
    } else if offersUpgrade {
      head.append("Connection: upgrade\r\n")
    } else if request.isVersion10 {
      head.append("Connection: keep-alive\r\n")
    }
    head.append("\r\n")
  }

  /// The head of the answer to a handshake, with further fields that can go on the wire.
  static func switchingProtocols(_ handshake: HTTPFields, _ further: HTTPFields, date: String) -> [UInt8] {
    var bytes = Array("HTTP/1.1 101 Switching Protocols\r\n".utf8)
    for field in handshake { bytes.append(field.name.rawName, field.value) }
    for field in further where !handshake.contains(field.name) && HTTPField.isValidValue(field.value) {
      bytes.append(field.name.rawName, field.value)
    }
    if !further.contains(.date) { bytes.append("Date", date) }
    bytes.append("\r\n")
    return bytes
  }

  /// A part of the body as it goes on the wire.
  func part(_ chunk: [UInt8]) -> [UInt8] {
    guard framing == .chunked else { return chunk }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(chunk.count + 20)
    bytes.append(String(chunk.count, radix: 16))
    bytes.append("\r\n")
    bytes.append(contentsOf: chunk)
    bytes.append("\r\n")
    return bytes
  }

  /// What ends the body.
  var end: [UInt8] { framing == .chunked ? Array("0\r\n\r\n".utf8) : [] }

  /// The length that the handler of a `HEAD` request tells; without it the answer says nothing of a body that was not
  /// made.
  private static func toldLength(_ response: ServerResponse) -> Int64? {
    response.head.headerFields[.contentLength].flatMap(Int64.init).flatMap { $0 >= 0 ? $0 : nil }
  }
}

extension HTTPField.Name {
  fileprivate static let upgrade = Self(unchecked: "Upgrade")
}

/// What a response must know about its request.
struct RequestTraits: Sendable {
  var isHead = false
  var isVersion10 = false
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(contentsOf: $0) }
  }

  fileprivate mutating func append(_ name: String, _ value: String) {
    append(name)
    append(": ")
    append(value)
    append("\r\n")
  }
}
