public import FoundationEssentials

extension HTTPBody {
  /// A file's bytes, read as they are needed, from the beginning for each reader.
  ///
  /// The length is the file's of this moment. A file that shrinks before it has been read makes the transport fail; what
  /// it grows by is left out.
  ///
  /// - Throws: `HTTPError` of the kind `.fileUnreadable` when there is no such file or it may not be read, here or while
  ///   reading.
  @concurrent
  public static func file(at url: URL) async throws(HTTPError) -> HTTPBody {
    guard url.isFileURL else {
      throw HTTPError(kind: .fileUnreadable, message: "A body's file needs a file URL, as URL(filePath:) makes it.")
    }
    let path = url.path(percentEncoded: false)
    let length = try FileReader(path: path).length
    return .replaying(length: .known(length)) {
      let reader = try FileReader(path: path)
      return { try await reader.next(upTo: length) }
    }
  }
}
