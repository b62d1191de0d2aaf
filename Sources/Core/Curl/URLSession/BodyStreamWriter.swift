#if canImport(Darwin)
  internal import Foundation
  internal import SwiftwaterHTTP
  internal import SwiftwaterStreams

  /// Writes a request body into a stream that `URLSession` reads, at most 64 KiB and one chunk ahead.
  final class BodyStreamWriter: NSObject, StreamDelegate, Sendable {
    private struct State {
      var hasRoom = false
      var waiter: CheckedContinuation<Void, Never>?
      var task: Task<Void, Never>?
    }

    // unsafe: the writing task's alone, but for the queue's news of room.
    private nonisolated(unsafe) let output: OutputStream
    private let state = LockIsolated(State())

    private init(_ output: OutputStream) { self.output = output }

    /// Starts the task that pulls the body. It ends with the body, by its failure or by `cancel()`. Returns the stream
    /// from which the bytes come; nil when memory is short.
    static func start(
      _ body: HTTPBody, length: Int64?, onFailure: @escaping @Sendable (any Error) -> Void
    ) -> (BodyStreamWriter, InputStream)? {
      var ends: (input: InputStream?, output: OutputStream?)
      Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &ends.input, outputStream: &ends.output)
      guard let input = ends.input, let output = ends.output else { return nil }
      let writer = BodyStreamWriter(output)
      output.delegate = writer
      CFWriteStreamSetDispatchQueue(output, DispatchQueue(label: "swiftwater.urlsession.upload"))
      output.open()
      let task = Task(name: "swiftwater.urlsession.upload") {
        do {
          try await writer.write(body, length: length)
        } catch {
          onFailure(error)
        }
        CFWriteStreamSetDispatchQueue(writer.output, nil)
        writer.output.close()
      }
      writer.state.withLock { $0.task = task }
      return (writer, input)
    }

    func cancel() {
      state.withLock { $0.task }?.cancel()
      noteRoom()
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
      // Also after a failure, which the next write tells.
      if event != .openCompleted { noteRoom() }
    }

    private func write(_ body: HTTPBody, length: Int64?) async throws {
      var count: Int64 = 0
      for try await chunk in body {
        count += Int64(chunk.count)
        if let length, count > length { throw Self.wrongLength }
        var rest = chunk[...]
        while !rest.isEmpty {
          await waitForRoom()
          try Task.checkCancellation()
          let written = rest.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
          }
          // The session has closed its end, and says why.
          if written <= 0 { return }
          rest = rest.dropFirst(written)
        }
      }
      if let length, count < length { throw Self.wrongLength }
    }

    private func waitForRoom() async {
      await withCheckedContinuation { continuation in
        let hasRoom = state.withLock { state in
          defer { state.hasRoom = false }
          if !state.hasRoom { state.waiter = continuation }
          return state.hasRoom
        }
        if hasRoom { continuation.resume() }
      }
    }

    private func noteRoom() {
      let waiter = state.withLock { state in
        defer { state.waiter = nil }
        state.hasRoom = state.waiter == nil
        return state.waiter
      }
      waiter?.resume()
    }

    private static let wrongLength = HTTPError(
      kind: .invalidRequest, message: "The request's body is not as long as announced.")
  }
#endif
