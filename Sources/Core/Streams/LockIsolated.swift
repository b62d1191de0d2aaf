#if SWIFTWATER_PTHREAD_LOCK
  #if canImport(Darwin)
    public import Darwin
  #elseif canImport(Musl)
    public import Musl
  #else
    public import Glibc
  #endif
#else
  public import Synchronization
#endif

/// A value that only one thread at a time can touch.
///
/// The one lock of the package. Critical sections are short and never call user code, resume a continuation or
/// release a caller's value: collect what is to be done, leave the lock, do it.
///
/// - Threading: `withLock` may be called from any thread; it is not re-entrant.
public final class LockIsolated<Value>: Sendable {
  #if SWIFTWATER_PTHREAD_LOCK
    // ThreadSanitizer on Linux reports false races through Mutex's futex; it does understand pthread's mutex.
    // unsafe: `storage` is touched between lock and unlock only.
    @usableFromInline nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline nonisolated(unsafe) var storage: Value

    /// Guards `value`.
    public init(_ value: sending Value) {
      storage = value
      mutex = .allocate(capacity: 1)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Calls `body` with exclusive access to the value and returns what it returns.
    @inlinable
    public func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&storage)
    }
  #else
    @usableFromInline let mutex: Mutex<Value>

    /// Guards `value`.
    public init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    /// Calls `body` with exclusive access to the value and returns what it returns.
    @inlinable
    public func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  #endif
}

extension LockIsolated where Value: Sendable {
  /// A copy of the value at this moment.
  @inlinable
  public var value: Value { withLock { $0 } }
}
