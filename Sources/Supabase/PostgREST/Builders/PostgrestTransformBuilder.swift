internal import Helpers

extension PostgrestRequestBuilder where Phase: PostgrestExecutablePhase {
  /// Asks a change to return its rows, or these columns of them.
  public func select(_ columns: String = "*") -> PostgrestTransformBuilder {
    next { request in
      request.set("select", to: columns.withoutUnquotedSpace)
      request.prefer("return", PostgrestReturningOptions.representation.rawValue)
    }
  }

  /// Orders the rows; a second order decides among rows that the first leaves equal.
  ///
  /// - Parameters:
  ///   - ascending: smallest first, the default.
  ///   - nullsFirst: NULL before everything else; it comes last unless given.
  public func order(_ column: String, ascending: Bool = true, nullsFirst: Bool = false) -> PostgrestTransformBuilder {
    next { $0.append("order", "\(column).\(ascending ? "asc" : "desc").\(nullsFirst ? "nullsfirst" : "nullslast")") }
  }

  /// Returns at most so many rows.
  public func limit(_ count: Int) -> PostgrestTransformBuilder {
    next { $0.set("limit", to: String(count)) }
  }

  /// Skips so many rows.
  public func offset(_ count: Int) -> PostgrestTransformBuilder {
    next { $0.set("offset", to: String(count)) }
  }

  /// Returns the rows `from` to `to`, both included and counted from 0.
  public func range(from: Int, to: Int) -> PostgrestTransformBuilder {
    next { request in
      request.set("offset", to: String(from))
      request.set("limit", to: String(Int(clamping: Int128(to) - Int128(from) + 1)))
    }
  }

  /// Sets a header field for this call; it wins over the configuration's. A name or value that HTTP does not allow fails
  /// when the request runs.
  public func setHeader(name: String, value: String) -> Self {
    next { request in
      if let name = HTTPField.Name(name), HTTPField.isValidValue(value) {
        request.fields[name] = value
      } else {
        request.fault = "The header field \"\(name)\" has characters that HTTP does not allow."
      }
    }
  }

  /// Sets the longest time without a byte in either direction, in place of the configuration's.
  public func timeout(_ timeout: Duration) -> Self {
    next { $0.timeout = timeout }
  }
}
