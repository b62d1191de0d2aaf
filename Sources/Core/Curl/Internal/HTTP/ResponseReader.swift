/// The reader's end of a response body: ends the exchange when nobody can read it any more.
///
/// It keeps the transport, so a body can be read to its end although the transport has been let go.
final class ResponseReader: Sendable {
  private let exchange: Exchange
  private let transport: CurlTransport

  init(exchange: Exchange, transport: CurlTransport) {
    self.exchange = exchange
    self.transport = transport
  }

  deinit { exchange.cancel() }

  func next() async throws -> [UInt8]? { try await exchange.nextChunk() }
}
