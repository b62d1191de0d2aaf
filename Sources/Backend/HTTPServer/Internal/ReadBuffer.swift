/// Where a loop's connections receive their bytes, one after the other.
///
/// A buffer of each event's own would cost an allocation, and leave a hole that small objects settle in.
// unsafe: only the loop's thread touches the bytes.
final class ReadBuffer: @unchecked Sendable {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  deinit { bytes.deallocate() }
}
