extension PostgrestRequestBuilder where Phase: PostgrestTransformablePhase {
  /// Returns the row itself in place of a list. No row, or more than one, is an error of the server (`PGRST116`); a
  /// change is undone then.
  public func single() -> PostgrestTransformBuilder {
    next { $0.format.shape = .single }
  }

  /// Returns the row itself, or nil when there is none. More than one is an error of the server (`PGRST116`).
  public func maybeSingle() -> PostgrestMaybeSingleBuilder {
    next { $0.format.shape = .single }
  }

  /// Returns the rows as lines of comma-separated values. Read them from the response's `string`, or as `String`.
  public func csv() -> PostgrestTransformBuilder {
    next { $0.format.shape = .csv }
  }

  /// Returns the rows as a GeoJSON `FeatureCollection`; the database needs PostGIS.
  public func geojson() -> PostgrestTransformBuilder {
    next { $0.format.shape = .geoJSON }
  }

  /// Leaves members that are null out of the rows. It goes with `single()`, not with `csv()` and `geojson()`.
  public func stripNulls() -> PostgrestTransformBuilder {
    next { $0.format.stripsNulls = true }
  }

  /// Returns the plan by which PostgreSQL would answer, in place of the answer. The server must allow it
  /// (`db-plan-enabled`).
  ///
  /// - Parameters:
  ///   - analyze: carry the request out and measure it.
  ///   - verbose: tell more of each step.
  ///   - settings: tell the settings that influence the plan.
  ///   - buffers: tell of buffers; with `analyze`.
  ///   - wal: tell of the write-ahead log; with `analyze`.
  ///   - format: text to read, or JSON.
  public func explain(
    analyze: Bool = false, verbose: Bool = false, settings: Bool = false, buffers: Bool = false, wal: Bool = false,
    format: ExplainFormat = .text
  ) -> PostgrestTransformBuilder {
    let options = [
      (analyze, "analyze"), (verbose, "verbose"), (settings, "settings"), (buffers, "buffers"), (wal, "wal"),
    ]
    return next { $0.format.plan = .init(format: format, options: options.filter(\.0).map(\.1)) }
  }
}
