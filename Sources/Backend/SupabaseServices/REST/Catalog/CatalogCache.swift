internal import FoundationEssentials
internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// Holds the catalog and reads it again when it is outdated: when PostgreSQL says so, and when a request asks for
/// something that is not in it.
final class CatalogCache: Sendable {
  private let pool: PostgresPool
  private let configuration: RESTService.Configuration
  private let state = LockIsolated(State())

  private struct State {
    var catalog: Catalog?
    /// Counts the reports of changes; a catalog read before the last one is outdated.
    var changes = 0
    var loading: Task<Catalog, any Error>?
    var loadingSince = 0
  }

  init(pool: PostgresPool, configuration: RESTService.Configuration) {
    self.pool = pool
    self.configuration = configuration
  }

  deinit {
    state.withLock { $0.loading }?.cancel()
  }

  /// The catalog, read first if there is none yet.
  func current() async throws -> Catalog {
    if let catalog = state.withLock({ $0.catalog }) { return catalog }
    return try await reload()
  }

  /// The catalog as it is now, if that differs from `known`; nil when nothing has changed.
  ///
  /// Asking is cheap, so a client that asks for what does not exist cannot keep the service busy reading.
  func newer(than known: Catalog) async throws -> Catalog? {
    if let catalog = state.withLock({ $0.catalog }), catalog.fingerprint != known.fingerprint { return catalog }
    let fingerprint = try await pool.query(CatalogQuery.fingerprint).string(row: 0, column: 0)
    return fingerprint == known.fingerprint ? nil : try await reload()
  }

  /// The database's schema has changed: the next request waits for the new catalog.
  func invalidate() {
    state.withLock { state in
      state.changes += 1
      state.catalog = nil
    }
  }

  /// Reads the catalog; callers at the same time share one reading, unless a change was reported after it began.
  private func reload() async throws -> Catalog {
    let task = state.withLock { state in
      if let loading = state.loading, state.loadingSince == state.changes { return loading }
      let changes = state.changes
      // Owned by the state; every caller waits for it, and deinit cancels it.
      let task = Task { [pool, configuration] in try await Self.load(pool, configuration) }
      (state.loading, state.loadingSince) = (task, changes)
      return task
    }
    do {
      let catalog = try await task.value
      state.withLock { state in
        if state.loading == task {
          state.loading = nil
          if state.loadingSince == state.changes { state.catalog = catalog }
        }
      }
      return catalog
    } catch {
      state.withLock { if $0.loading == task { $0.loading = nil } }
      throw error
    }
  }

  private static func load(_ pool: PostgresPool, _ base: RESTService.Configuration) async throws -> Catalog {
    let configuration = base.readsDatabaseSettings ? base.applying(try await settings(pool)) : base
    let schemas = configuration.schemas
    let results = try await pool.execute([
      // Of what a function has left behind the role is the one thing that the other reset spares.
      "RESET ROLE", "RESET ALL", CatalogQuery.fingerprint, CatalogQuery.emptySearchPath,
      CatalogQuery.contents(schemas: schemas), CatalogQuery.views,
    ])
    let contents = try results[4].withBytes(row: 0, column: 0) { bytes in
      try JSONDecoder().decode(CatalogContents.self, from: Data(bytes))
    }
    guard let contents else { throw PostgresError(.connectionFailed, "PostgreSQL sent no catalog") }
    let views = (0..<results[5].rowCount).compactMap { ViewColumns(results[5], row: $0) }
    let fingerprint = results[2].string(row: 0, column: 0) ?? ""
    return Catalog(contents, configuration, views: views, fingerprint: fingerprint)
  }

  private static func settings(_ pool: PostgresPool) async throws -> [Routine.Setting] {
    guard let result = try await pool.execute(["RESET ROLE", CatalogQuery.settings]).last else { return [] }
    return (0..<result.rowCount).compactMap { row in
      guard let name = result.string(row: row, column: 0), let value = result.string(row: row, column: 1) else {
        return nil
      }
      return Routine.Setting(name: name, value: value)
    }
  }
}
