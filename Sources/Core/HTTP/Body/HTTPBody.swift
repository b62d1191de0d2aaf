/// The bytes of a message, all at hand or arriving over time.
///
/// Iterate it once for its chunks, or collect them. A body made from bytes or a file can be read again, one made from a
/// plain stream cannot (`iterationBehavior`); reading that a second time throws `HTTPError` of the kind
/// `.bodyAlreadyRead`.
/// Dropping a body that a transport delivered, read or not, ends its transfer.
public struct HTTPBody: Sendable {
  /// How many bytes there are.
  public enum Length: Sendable, Hashable {
    /// Only the end will tell.
    case unknown
    /// Exactly so many bytes.
    case known(Int64)
  }

  /// How often the body can be read.
  public enum IterationBehavior: Sendable, Hashable {
    /// Once.
    case single
    /// As often as wanted, so the request can be sent again.
    case multiple
  }

  package enum Storage: Sendable {
    case bytes([UInt8])
    case stream(HTTPBodyStream)
  }

  package let storage: Storage
  /// The length, if it is known before the end.
  public let length: Length

  private init(storage: Storage, length: Length) {
    self.storage = storage
    self.length = length
  }

  /// Bytes that are at hand.
  public init(_ bytes: [UInt8]) {
    storage = .bytes(bytes)
    length = .known(Int64(bytes.count))
  }

  /// Bytes that are at hand, such as a `Data`.
  public init(_ bytes: some Sequence<UInt8>) { self.init(Array(bytes)) }

  /// A text in UTF-8.
  public init(_ text: String) { self.init(Array(text.utf8)) }

  /// Bytes that arrive over time and can be read once.
  ///
  /// - Parameters:
  ///   - length: the number of bytes, if known. A transport fails when another number arrives.
  ///   - next: returns the next chunk, nil at the end. It is called again only after it has returned, so a slow reader
  ///     slows the producer; it must return or throw promptly when its task is cancelled.
  public init(length: Length = .unknown, next: @escaping @Sendable () async throws -> [UInt8]?) {
    storage = .stream(HTTPBodyStream(iterationBehavior: .single) { next })
    self.length = length
  }

  /// Bytes that arrive over time, from the beginning for each reader, so that a request with them can be sent again.
  ///
  /// - Parameters:
  ///   - length: the number of bytes, if known. A transport fails when another number arrives.
  ///   - makeNext: called when a reader begins; returns that reader's function for the next chunk, as in
  ///     `init(length:next:)`.
  public static func replaying(
    length: Length = .unknown,
    makeNext: @escaping @Sendable () async throws -> @Sendable () async throws -> [UInt8]?
  ) -> HTTPBody {
    HTTPBody(storage: .stream(HTTPBodyStream(iterationBehavior: .multiple, makeProducer: makeNext)), length: length)
  }

  /// No bytes.
  public static let empty = HTTPBody([])

  /// Whether the body can be read more than once.
  public var iterationBehavior: IterationBehavior {
    switch storage {
    case .bytes: .multiple
    case .stream(let stream): stream.iterationBehavior
    }
  }
}
