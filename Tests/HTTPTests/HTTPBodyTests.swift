import SwiftwaterHTTP
import SwiftwaterStreams
import Testing

@Suite("HTTP bodies")
struct HTTPBodyTests {
  /// A body that yields the chunks and counts how often it is asked.
  private func stream(_ chunks: [[UInt8]], asked: LockIsolated<Int> = LockIsolated(0)) -> HTTPBody {
    HTTPBody {
      asked.withLock { asked in
        defer { asked += 1 }
        return asked < chunks.count ? chunks[asked] : nil
      }
    }
  }

  @Test("Bytes can be read again and again")
  func bytesReplay() async throws {
    let body = HTTPBody("swift")
    #expect(body.iterationBehavior == .multiple)
    #expect(body.length == .known(5))
    #expect(try await body.collect(upTo: 5) == Array("swift".utf8))
    #expect(try await body.collect(upTo: 5) == Array("swift".utf8))
  }

  @Test("A stream is read once; a second reader is told so")
  func streamOnce() async throws {
    let body = stream([[1], [], [2, 3]])
    #expect(body.iterationBehavior == .single)
    #expect(try await body.collect(upTo: 10) == [1, 2, 3])
    let error = await #expect(throws: HTTPError.self) { try await body.collect(upTo: 10) }
    #expect(error?.kind == .bodyAlreadyRead)
  }

  @Test("A body over the limit is refused, at hand or streamed")
  func limit() async {
    for body in [HTTPBody([1, 2, 3]), stream([[1, 2], [3]])] {
      let error = await #expect(throws: HTTPError.self) { try await body.collect(upTo: 2) }
      #expect(error?.kind == .bodyTooLarge)
    }
  }

  @Test("The producer is asked only as fast as the reader reads, and not after its end")
  func backPressure() async throws {
    let asked = LockIsolated(0)
    var iterator = stream([[1], [2]], asked: asked).makeAsyncIterator()
    #expect(asked.value == 0)
    #expect(try await iterator.next() == [1])
    #expect(asked.value == 1)
    #expect(try await iterator.next() == [2])
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
    #expect(asked.value == 3)
  }
}
