/// A text that equals another only if PostgreSQL holds both for the same: byte by byte.
///
/// `String` takes the spellings of "é" with and without a combining accent for one, which as names of tables, columns
/// and statements are two.
package struct ExactText: Hashable, Sendable {
  /// The text.
  package let text: String

  /// Wraps a text.
  package init(_ text: String) { self.text = text }

  package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
