/// A page of rows: where it begins, and from what has come which one is next.
struct RowPage: Equatable {
  private let size: Int
  /// The rows that the caller wants at most, from this page on.
  private let wanted: Int?
  /// Whether the request has the server count all rows.
  private let isCounted: Bool
  /// How many rows a full page has, as far as the pages before tell: a server may give fewer than it is asked for.
  private var capacity: Int?

  let offset: Int
  var isFirst: Bool { capacity == nil }
  var limit: Int { wanted.map { min($0, size) } ?? size }

  private init(size: Int, wanted: Int?, isCounted: Bool, capacity: Int?, offset: Int) {
    self.size = size
    self.wanted = wanted
    self.isCounted = isCounted
    self.capacity = capacity
    self.offset = offset
  }

  /// The first page of a request, whose own limit and offset bound them all.
  init(of request: PostgrestRequest, size: Int) {
    self.init(
      size: size, wanted: request["limit"].flatMap { Int($0) }, isCounted: request.prefer.contains("count=exact"),
      capacity: nil, offset: request["offset"].flatMap { Int($0) } ?? 0)
  }

  /// The page that follows; nil if this is the last one.
  ///
  /// - Parameters:
  ///   - count: how many rows have come.
  ///   - total: how many there are in all, as the server says.
  func next(after count: Int, total: Int?) -> RowPage? {
    let isEnd: Bool
    if let wanted, count >= wanted {
      isEnd = true
    } else if isCounted, let total {
      isEnd = offset + count >= total
    } else if let capacity {
      isEnd = count < min(capacity, limit)
    } else {
      isEnd = false
    }
    guard count > 0, !isEnd else { return nil }
    return RowPage(
      size: size, wanted: wanted.map { $0 - count }, isCounted: isCounted, capacity: max(capacity ?? 0, count),
      offset: offset + count)
  }
}
