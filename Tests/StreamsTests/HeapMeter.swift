#if canImport(Glibc) && !SWIFTWATER_PTHREAD_LOCK
  import Glibc
#endif

/// Measures the heap with glibc's `malloc_info`.
///
/// The resident memory of a process would not do: what a leak takes from memory that was freed before does not show.
enum HeapMeter {
  /// False elsewhere, and under ThreadSanitizer, which has an allocator of its own.
  static let isAvailable = bytesInUse() != nil

  /// Allocated bytes of the whole process.
  static func bytesInUse() -> Int? {
    #if canImport(Glibc) && !SWIFTWATER_PTHREAD_LOCK
      typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
      guard let symbol = dlsym(nil, "malloc_info") else { return nil }
      // unsafe: the signature is malloc_info(3)'s; its header is not part of the Glibc module.
      let mallocInfo = unsafeBitCast(symbol, to: MallocInfo.self)
      var buffer: UnsafeMutablePointer<CChar>?
      var length = 0
      guard let file = open_memstream(&buffer, &length) else { return nil }
      let isWritten = mallocInfo(0, file) == 0
      fclose(file)
      defer { free(buffer) }
      guard isWritten, let buffer else { return nil }
      return bytesInUse(xml: String(cString: buffer))
    #else
      return nil
    #endif
  }

  /// What the system gave less what is free; the totals of all arenas come last.
  private static func bytesInUse(xml: String) -> Int? {
    let lines = xml.split(separator: "\n")
    func total(_ start: String) -> Int? {
      guard let line = lines.last(where: { $0.hasPrefix(start) }) else { return nil }
      let parts = line.split(separator: "\"")
      guard let key = parts.firstIndex(where: { $0.hasSuffix("size=") }), key + 1 < parts.count else { return nil }
      return Int(parts[key + 1])
    }
    guard let system = total("<system type=\"current\""), let fast = total("<total type=\"fast\""),
      let rest = total("<total type=\"rest\"")
    else { return nil }
    return system - fast - rest + (total("<total type=\"mmap\"") ?? 0)
  }
}
