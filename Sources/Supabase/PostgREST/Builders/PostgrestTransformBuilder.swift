extension PostgrestRequestBuilder where Phase: PostgrestTransformablePhase {
  /// Asks a change to return its rows, or these columns of them; of what a function returns, chooses columns.
  public func select(_ columns: String = "*") -> PostgrestTransformBuilder {
    next { request in
      request.set("select", to: columns.withoutUnquotedSpace)
      guard request.method != .get, request.method != .head else { return }
      request.prefer("return", PostgrestReturningOptions.representation.rawValue)
    }
  }

  /// Orders the rows; a second order decides among rows that the first leaves equal.
  ///
  /// - Parameters:
  ///   - column: a column, a path into JSON, or a column of an embedded table that has one row for each: `author(name)`.
  ///   - ascending: smallest first, the default.
  ///   - nullsFirst: NULL before everything else; it comes last unless given.
  ///   - referencedTable: the embedded table whose rows are ordered; nil for the request's own.
  public func order(
    _ column: String, ascending: Bool = true, nullsFirst: Bool = false, referencedTable: String? = nil
  ) -> PostgrestTransformBuilder {
    let term = "\(column).\(ascending ? "asc" : "desc").\(nullsFirst ? "nullsfirst" : "nullslast")"
    return next { $0.append("order", term, in: referencedTable) }
  }

  /// Returns at most so many rows.
  ///
  /// - Parameter referencedTable: the embedded table whose rows are limited; nil for the request's own.
  public func limit(_ count: Int, referencedTable: String? = nil) -> PostgrestTransformBuilder {
    next { $0.set("limit", to: String(count), in: referencedTable) }
  }

  /// Skips so many rows.
  ///
  /// - Parameter referencedTable: the embedded table whose rows are skipped; nil for the request's own.
  public func offset(_ count: Int, referencedTable: String? = nil) -> PostgrestTransformBuilder {
    next { $0.set("offset", to: String(count), in: referencedTable) }
  }

  /// Returns the rows `from` to `to`, both included and counted from 0.
  ///
  /// - Parameter referencedTable: the embedded table whose rows are meant; nil for the request's own.
  public func range(from: Int, to: Int, referencedTable: String? = nil) -> PostgrestTransformBuilder {
    next { request in
      request.set("offset", to: String(from), in: referencedTable)
      request.set("limit", to: String(Int(clamping: Int128(to) - Int128(from) + 1)), in: referencedTable)
    }
  }

  /// Fails a change, or a function that changes rows, and undoes it when it touches more rows than these (`PGRST124`).
  /// It makes the server strict about every wish of the request.
  public func maxAffected(_ count: Int) -> PostgrestTransformBuilder {
    next { request in
      request.prefer("handling", PostgrestHandling.strict.rawValue)
      request.prefer("max-affected", String(count))
    }
  }

  /// Does everything and undoes it again: the answer shows what would have happened. The server must allow it
  /// (`db-tx-end`), otherwise the change stays; `handling(.strict)` makes that a refusal.
  public func dryRun() -> PostgrestTransformBuilder {
    next { $0.prefer("tx", "rollback") }
  }
}
