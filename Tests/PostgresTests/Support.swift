import SwiftwaterPostgres
import SwiftwaterStreams
import TestSupport

/// The error that `body` throws, if it is ours.
func thrown<Result>(_ body: () async throws -> Result) async -> PostgresError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? PostgresError
  }
}

/// Deallocation may be a few instructions behind the last use.
func eventuallyReleased(_ isReleased: () -> Bool) async -> Bool {
  await eventually { isReleased() }
}
