#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A text that equals another only if PostgreSQL holds both for the same: byte by byte.
///
/// `String` takes the spellings of "é" with and without a combining accent for one, which as names of tables, columns
/// and statements are two.
package struct ExactText: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Wraps a text.
  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool {
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard left.count == right.count, let start = left.baseAddress, let other = right.baseAddress else {
          return left.count == right.count
        }
        // Each statement is compared with the one that is prepared.
        return memcmp(start, other, left.count) == 0
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
