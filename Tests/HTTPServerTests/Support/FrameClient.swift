import SwiftwaterHTTPServer
import SwiftwaterSockets
import Testing

/// A client that reads a server's frames.
final class FrameClient {
  let client: RawClient
  let head: RawClient.Response
  private var bytes: [UInt8] = []
  private var position = 0

  /// What asks for a WebSocket, up to the fields of one's own.
  static let request =
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

  /// Opens a WebSocket; `bytes` follow the request at once.
  init(_ server: HTTPServer, _ fields: String = "", then bytes: [UInt8] = [], receiveBuffer: Int32? = nil) async throws
  {
    client = try await RawClient(port: server.port, receiveBuffer: receiveBuffer)
    try await client.send(Array((Self.request + fields + "\r\n").utf8) + bytes)
    head = try await client.response()
    try #require(head.status == 101, "\(head.head)")
  }

  func send(_ bytes: [UInt8]) async throws { try await client.send(bytes) }

  /// The next frame, which is whole and not masked.
  func next() async throws -> (opcode: UInt8, payload: [UInt8]) {
    try await need(2)
    let first = bytes[position]
    var length = Int(bytes[position + 1])
    try #require(first & 0x70 == 0 && first & 0x80 != 0 && length < 128)
    var start = 2
    if length >= 126 {
      start = length == 126 ? 4 : 10
      try await need(start)
      length = bytes[(position + 2)..<(position + start)].reduce(0) { $0 << 8 | Int($1) }
    }
    try await need(start + length)
    defer {
      position += start + length
      if position > 1 << 20 {
        bytes.removeFirst(position)
        position = 0
      }
    }
    return (first & 15, Array(bytes[(position + start)..<(position + start + length)]))
  }

  private func need(_ count: Int) async throws {
    while bytes.count - position < count {
      let more = try #require(try await client.receive())
      try #require(!more.isEmpty, "the connection ended")
      bytes += more
    }
  }
}

/// A client's frame; a mask of zeros leaves the payload as it is.
func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
  var bytes = [opcode | (isFinal ? 0x80 : 0)]
  switch payload.count {
  case 0..<126: bytes.append(0x80 | UInt8(payload.count))
  case 126..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
  default: bytes += [0x80 | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 255) }
  }
  return bytes + [0, 0, 0, 0] + payload
}

/// Sends back every message.
let echoing: HTTPServer.Handler = { _ in
  .webSocket { connection in
    for try await message in connection.messages { try await connection.send(message) }
  }
}
