internal import SwiftwaterStreams

/// What experience says of batches that should be over at once: statements that only read, and so little that they may as
/// well wait behind others of the kind on one connection, which spares PostgreSQL and this program a wake-up each.
///
/// The same object goes along with every batch of the same statements. A policy's function may make even the smallest read
/// slow; such ones soon have a connection to themselves.
package final class Brevity: Sendable {
  /// Rises with every slow batch and falls with every brief one.
  let slowness = LockIsolated(0)

  /// So many brief batches make up for a slow one; a busy machine delays some.
  private static let weight = 8
  private static let limit = 2 * weight

  /// Believes that the batches are brief until they prove otherwise.
  package init() {}

  /// Whether they have been brief so far, but for some.
  package var holds: Bool { slowness.value <= Self.limit }

  /// One has ended.
  func record(wasBrief: Bool) {
    slowness.withLock { slowness in
      slowness = wasBrief ? max(0, slowness - 1) : min(slowness + Self.weight, 2 * Self.limit)
    }
  }
}
