/// The rows that are asked for: from `offset`, at most `limit`.
struct RowRange: Equatable, Sendable {
  var offset = 0
  var limit: Int?

  /// All rows.
  static let all = RowRange()

  /// Reads `limit=` and `offset=`; what is no number asks for nothing.
  init(limit: String?, offset: String?) throws(RESTError) {
    if let limit = limit.flatMap({ Int($0) }) {
      guard limit >= 0 else { throw .rangeNotSatisfiable("Limit should be greater than or equal to zero.") }
      self.limit = limit
    }
    if let offset = offset.flatMap({ Int($0) }) { self.offset = max(0, offset) }
  }

  init(offset: Int = 0, limit: Int? = nil) {
    self.offset = offset
    self.limit = limit
  }

  /// Reads a `Range` field: `0-9` or `10-`, with or without `items=`; what is no such range is ignored (RFC 9110
  /// §14.2).
  init?(header: String) throws(RESTError) {
    let text = header.split(separator: "=").last ?? ""
    let sides = text.split(separator: "-", omittingEmptySubsequences: false)
    guard sides.count == 2, let first = Int(sides[0]), first >= 0 else { return nil }
    offset = first
    if sides[1].isEmpty { return }
    guard let last = Int(sides[1]) else { return nil }
    guard last >= first else {
      throw .rangeNotSatisfiable(
        "The lower boundary must be lower than or equal to the upper boundary in the Range header.")
    }
    let (count, overflow) = (last - first).addingReportingOverflow(1)
    limit = overflow ? nil : count
  }

  /// The rows that both ask for, where both count rows of the whole.
  func intersection(_ other: RowRange) -> RowRange {
    func end(_ range: RowRange) -> Int? {
      range.limit.map { range.offset.addingReportingOverflow($0) }.flatMap { $0.overflow ? nil : $0.partialValue }
    }
    let start = max(offset, other.offset)
    let ends = [end(self), end(other)].compactMap(\.self)
    return RowRange(offset: start, limit: ends.min().map { max(0, $0 - start) })
  }

  /// At most this many rows.
  func limited(to maximum: Int?) -> RowRange {
    guard let maximum else { return self }
    return RowRange(offset: offset, limit: min(limit ?? maximum, maximum))
  }
}
