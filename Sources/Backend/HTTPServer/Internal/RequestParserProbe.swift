internal import SwiftwaterHTTP

/// Drives the parser of requests over bytes that may be anything, for fuzzing.
package enum RequestParserProbe {
  /// What the parser has made of the bytes.
  package struct Outcome: Equatable, Sendable {
    /// Method, target and framing of every head.
    package var heads: [String] = []
    /// The bytes of all bodies, one behind the other.
    package var body: [UInt8] = []
    /// How many requests have come to their end.
    package var ends = 0
    /// Why the connection cannot go on.
    package var error: HTTPServerError?
    /// How many bytes wait for more. After an error this depends on how the bytes came.
    package var waiting = 0
  }

  /// Parses the bytes in pieces of that size as a connection does, with limits of 1 KiB for a head and 4 KiB for a
  /// body.
  package static func outcome(of bytes: [UInt8], pieceSize: Int = .max) -> Outcome {
    var parser = RequestParser(maximumHeadBytes: 1024, maximumBodyBytes: 4096)
    var outcome = Outcome()
    var rest = bytes[...]
    do {
      repeat {
        rest.prefix(max(1, pieceSize)).withUnsafeBytes { parser.append($0) }
        rest = rest.dropFirst(max(1, pieceSize))
        while let event = try parser.next() {
          switch event {
          case .head(let head):
            outcome.heads.append("\(head.request.method) \(head.request.path) \(head.framing)")
            if head.framing == .none { outcome.ends += 1 }
          case .body(let part): outcome.body += part
          case .end: outcome.ends += 1
          }
        }
      } while !rest.isEmpty
      outcome.waiting = parser.bufferedCount
    } catch {
      outcome.error = error
    }
    return outcome
  }
}
