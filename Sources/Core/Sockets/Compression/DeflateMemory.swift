internal import CZlib

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// The memory of one stream of zlib's, in pages of its own, which go back to the system with it.
///
/// Among the blocks of the allocator the windows of a thousand connections that fall idle would leave as many holes,
/// which the process keeps: what was allocated meanwhile lies between. Pages that are not touched cost nothing.
final class DeflateMemory {
  private let start: UnsafeMutableRawPointer
  private let capacity: Int
  private var used = 0

  /// Nil when memory is short.
  private init?(capacity: Int) {
    let start = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start, start != MAP_FAILED else { return nil }
    self.start = start
    self.capacity = capacity
  }

  /// Enough for a compressor with that window, whose tables are four times as large, or for a decompressor.
  convenience init?(windowBits: Int32) { self.init(capacity: (1 << (Int(windowBits) + 4)) + (1 << 18)) }

  deinit { munmap(start, capacity) }

  /// Lets a stream, which must not outlive this, take its memory from here.
  func serve(_ stream: UnsafeMutablePointer<z_stream>) {
    stream.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    stream.pointee.zalloc = { memory, count, size in
      memory.flatMap { Unmanaged<DeflateMemory>.fromOpaque($0).takeUnretainedValue().take(Int(count) * Int(size)) }
    }
    // All of it ends together.
    stream.pointee.zfree = { _, _ in }
  }

  private func take(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= capacity - used else { return nil }
    defer { used += (count + 63) & ~63 }
    return start + used
  }
}
