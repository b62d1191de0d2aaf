/// The rows that are asked for: from `offset`, at most `limit`.
struct RowRange: Equatable {
  var offset = 0
  var limit: Int?

  /// All rows.
  static let all = RowRange()

  /// Reads `limit=` and `offset=`, and the `Range` header, which narrows them further.
  init(parameters: QueryParameters, rangeHeader: String?) throws(RESTError) {
    try self.init(limit: parameters["limit"], offset: parameters["offset"])
    if let rangeHeader, let header = try Self(header: rangeHeader) { narrow(to: header) }
  }

  init() {}

  private init(limit: String?, offset: String?) throws(RESTError) {
    if let limit {
      guard let count = Int(limit) else { throw Self.notANumber("limit", limit) }
      guard count >= 0 else { throw .rangeNotSatisfiable("Limit should be greater than or equal to zero.") }
      self.limit = count
    }
    if let offset {
      guard let start = Int(offset) else { throw Self.notANumber("offset", offset) }
      guard start >= 0 else { throw .rangeNotSatisfiable("Offset should be greater than or equal to zero.") }
      self.offset = start
    }
  }

  /// `0-9` or `10-`, with or without `items=`; what is no such range is ignored (RFC 9110 §14.2).
  private init?(header: String) throws(RESTError) {
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

  /// The intersection, where both count rows of the whole.
  private mutating func narrow(to other: RowRange) {
    func end(_ range: RowRange) -> Int? {
      range.limit.map { range.offset.addingReportingOverflow($0) }.flatMap { $0.overflow ? nil : $0.partialValue }
    }
    let start = max(offset, other.offset)
    let ends = [end(self), end(other)].compactMap(\.self)
    limit = ends.min().map { max(0, $0 - start) }
    offset = start
  }

  private static func notANumber(_ name: String, _ value: String) -> RESTError {
    .parse("\(name) parameter", value, at: 0, unexpected: "\"\(value.first ?? " ")\"", expecting: "digit")
  }
}
