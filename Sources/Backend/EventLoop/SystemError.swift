#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A system call that failed.
public struct SystemError: Error, Sendable, CustomStringConvertible {
  /// What was attempted, as a verb phrase: "listen on port 8000".
  public let operation: String
  /// The system's error number (`errno`).
  public let number: Int32

  /// Describes a failed `operation` by an error number that a call returned.
  public init(operation: String, number: Int32) {
    self.operation = operation
    self.number = number
  }

  /// Describes the system call that this thread made last, by its `errno`.
  public init(operation: String) {
    self.init(operation: operation, number: errno)
  }

  /// "cannot listen on port 8000: Address already in use"
  public var description: String { "cannot \(operation): \(String(cString: strerror(number)))" }
}
