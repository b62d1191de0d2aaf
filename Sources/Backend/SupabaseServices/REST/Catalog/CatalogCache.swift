internal import FoundationEssentials
internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// Holds the catalog and reads it again when it is outdated: when PostgreSQL says so, and when a request asks for
/// something that is not in it.
final class CatalogCache: Sendable {
  private let pool: PostgresPool
  private let configuration: RESTService.Configuration
  private let state = LockIsolated(State())

  private typealias Waiter = CheckedContinuation<Catalog, any Error>

  private struct State {
    var catalog: Catalog?
    /// Counts the reports of changes; a catalog read before the last one is outdated.
    var changes = 0
    /// The readings under way, the newest last; those before it began before a change was reported.
    var readings: [Reading] = []
    var lastID = 0

    mutating func drawID() -> Int {
      lastID += 1
      return lastID
    }
  }

  /// One reading of the catalog, and who waits for it.
  private struct Reading {
    let id: Int
    /// The changes that had been reported when it began.
    let changes: Int
    /// Owned by the state; deinit cancels it.
    let task: Task<Void, Never>
    var waiters: [Int: Waiter] = [:]
  }

  init(pool: PostgresPool, configuration: RESTService.Configuration) {
    self.pool = pool
    self.configuration = configuration
  }

  deinit {
    for reading in state.withLock({ $0.readings }) { reading.task.cancel() }
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
  ///
  /// A caller who is cancelled stops waiting at once; the reading goes on for the others.
  private func reload() async throws -> Catalog {
    let id = state.withLock { $0.drawID() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let isCancelled = state.withLock { state in
          // The handler may have run before there was anything to take back.
          if Task.isCancelled { return true }
          if state.readings.last?.changes != state.changes {
            let reading = begin(&state)
            state.readings.append(reading)
          }
          state.readings[state.readings.count - 1].waiters[id] = waiter
          return false
        }
        if isCancelled { waiter.resume(throwing: CancellationError()) }
      }
    } onCancel: {
      leave(id)?.resume(throwing: CancellationError())
    }
  }

  private func begin(_ state: inout State) -> Reading {
    let id = state.drawID()
    let task = Task { [weak self, pool, configuration] in
      let result: Result<Catalog, any Error>
      do {
        result = .success(try await Self.load(pool, configuration))
      } catch {
        result = .failure(error)
      }
      self?.end(id, result)
    }
    return Reading(id: id, changes: state.changes, task: task)
  }

  private func end(_ id: Int, _ result: Result<Catalog, any Error>) {
    let reading = state.withLock { state -> Reading? in
      guard let index = state.readings.firstIndex(where: { $0.id == id }) else { return nil }
      let reading = state.readings.remove(at: index)
      if case .success(let catalog) = result, reading.changes == state.changes { state.catalog = catalog }
      return reading
    }
    guard let reading else { return }
    for waiter in reading.waiters.values { waiter.resume(with: result) }
  }

  /// Takes back a caller's continuation if it still waits.
  private func leave(_ id: Int) -> Waiter? {
    state.withLock { state in
      for index in state.readings.indices {
        if let waiter = state.readings[index].waiters.removeValue(forKey: id) { return waiter }
      }
      return nil
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
