/// Drives a session over bytes that may be anything, for fuzzing.
package enum WebSocketSessionProbe {
  /// What the session has made of the bytes.
  package struct Outcome: Equatable, Sendable {
    /// The messages that arrived before the end.
    package var messages: [WebSocketMessage] = []
    /// The peer's closing code.
    package var closeCode: WebSocketCloseCode?
    /// Why the connection ended without a closing handshake.
    package var failure: WebSocketError.Code?
  }

  /// Feeds the bytes in pieces of that size to a session, with limits of 4 KiB for a frame and 8 KiB for a message.
  package static func outcome(
    of bytes: [UInt8], role: WebSocketRole, isCompressed: Bool, pieceSize: Int = .max
  ) -> Outcome {
    var configuration = WebSocketConfiguration()
    configuration.maximumFrameBytes = 4096
    configuration.maximumMessageBytes = 8192
    let now = ContinuousClock.now
    var session = WebSocketSession(
      role: role, compression: isCompressed ? DeflateParameters() : nil, configuration: configuration, now: now)
    var outcome = Outcome()
    var rest = bytes[...]
    while !rest.isEmpty, !session.isReceivingOver {
      let piece = rest.prefix(max(1, pieceSize))
      let taken = piece.withUnsafeBytes { session.receive($0, at: now) }
      rest = rest.dropFirst(max(1, taken))
      while let message = session.takeMessage() { outcome.messages.append(message) }
      session.answerCloseIfDue()
      while session.takeOutput() != nil {}
    }
    outcome.closeCode = session.peerCode
    outcome.failure = session.failure?.code
    return outcome
  }
}
