import Foundation
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

  @Test("A replaying stream begins anew for each reader")
  func replaying() async throws {
    let body = HTTPBody.replaying {
      let chunks = LockIsolated<ArraySlice<[UInt8]>>([[1], [2, 3]])
      return { chunks.withLock { $0.popFirst() } }
    }
    #expect(body.iterationBehavior == .multiple)
    for _ in 0..<2 { #expect(try await body.collect(upTo: 10) == [1, 2, 3]) }
  }

  @Test("A sequence of chunks is a body")
  func sequence() async throws {
    let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
    for chunk in [[1], [2, 3]] as [[UInt8]] { continuation.yield(chunk) }
    continuation.finish()
    let body = HTTPBody(chunks, length: .known(3))
    #expect(body.iterationBehavior == .single)
    #expect(try await body.collect(upTo: 3) == [1, 2, 3])
    await #expect(throws: HTTPError.self) { try await body.collect(upTo: 3) }
  }

  @Test("The first bytes can be taken without the rest")
  func prefix() async throws {
    let asked = LockIsolated(0)
    let body = stream([[1, 2], [3, 4], [5]], asked: asked)
    #expect(try await body.collect(atMost: 3) == [1, 2, 3])
    #expect(asked.value == 2)
    #expect(try await HTTPBody([1]).collect(atMost: 3) == [1])
  }

  @Test("A file is read from its beginning each time, and no further than it was long at first")
  func file() async throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "body ü \(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(content).write(to: url)
    let body = try await HTTPBody.file(at: url)
    #expect(body.length == .known(300_000))
    #expect(body.iterationBehavior == .multiple)
    for _ in 0..<2 { #expect(try await body.collect(upTo: 300_000) == content) }
    try Data(content + [1]).write(to: url)
    #expect(try await body.collect(upTo: 300_000) == content)
    try Data(content[..<10]).write(to: url)
    #expect(try await body.collect(upTo: 300_000) == Array(content[..<10]))
    try FileManager.default.removeItem(at: url)
    let error = await #expect(throws: HTTPError.self) { try await body.collect(upTo: 300_000) }
    #expect(error?.kind == .fileUnreadable)
  }

  @Test("What is no file that can be read is refused at once, with the path and the cause")
  func noFile() async {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path
    defer { unlink(pipe) }
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in ["/nowhere/at all", "/", "/dev/null", pipe] {
      let error = await #expect(throws: HTTPError.self) { try await HTTPBody.file(at: URL(filePath: path)) }
      #expect(error?.kind == .fileUnreadable)
      #expect(error?.message.contains(path) == true)
    }
  }

  @Test("Only a file URL names a file", arguments: ["https://host/etc/hosts", "/etc/hosts"])
  func noFileURL(_ text: String) async throws {
    let url = try #require(URL(string: text))
    let error = await #expect(throws: HTTPError.self) { try await HTTPBody.file(at: url) }
    #expect(error?.kind == .fileUnreadable)
  }

  @Test("A Data is a body")
  func data() async throws {
    #expect(try await HTTPBody(Data([1, 2])).collect(upTo: 2) == [1, 2])
  }

  @Test("A length beyond the limit is refused before anything is read")
  func announcedTooMuch() async throws {
    let body = HTTPBody(length: .known(11)) {
      Issue.record("nothing is to be read")
      return nil
    }
    await #expect(throws: HTTPError.self) { try await body.collect(upTo: 10) }
  }

  @Test("Progress is told chunk by chunk, for bytes at hand too, and anew for each reading")
  func progress() async throws {
    let told = LockIsolated<[HTTPProgress]>([])
    let body = HTTPBody([UInt8](repeating: 7, count: 150_000)).reportingProgress { progress in
      told.withLock { $0.append(progress) }
    }
    #expect(body.length == .known(150_000))
    for _ in 0..<2 {
      told.withLock { $0 = [] }
      #expect(try await body.collect(upTo: 150_000).count == 150_000)
      #expect(told.value.map(\.completedBytes) == [65_536, 131_072, 150_000])
      #expect(told.value.last?.fraction == 1)
    }
    let unknown = stream([[1], [2]]).reportingProgress { progress in told.withLock { $0.append(progress) } }
    told.withLock { $0 = [] }
    _ = try await unknown.collect(upTo: 2)
    #expect(told.value.map(\.completedBytes) == [1, 2])
    #expect(told.value.allSatisfy { $0.fraction == nil })
  }

  @Test("A cancelled reader gets CancellationError, whatever the producer throws")
  func cancelled() async {
    let body = HTTPBody {
      withUnsafeCurrentTask { $0?.cancel() }
      throw HTTPError(kind: .connectionLost, message: "")
    }
    await #expect(throws: CancellationError.self) { try await Task { try await body.collect(upTo: 1) }.value }
  }

  @Test("A length that is only announced takes no memory")
  func announcedLength() async throws {
    let body = HTTPBody(length: .known(.max)) { nil }
    #expect(try await body.collect(upTo: .max).isEmpty)
  }
}
