internal import FoundationEssentials
internal import Helpers

/// Where a page of a list stands: `X-Total-Count`, and the pages that `Link` (RFC 8288) leads to.
struct PageLinks: Sendable, Equatable {
  var next: Int?
  var last: Int?
  var total: Int?

  init(_ fields: HTTPFields) {
    total = fields[.xTotalCount].flatMap { Int($0) }
    for link in fields[values: .link].joined(separator: ",").split(separator: ",") {
      let parts = link.split(separator: ";")
      guard let page = parts.first.flatMap(Self.page) else { continue }
      for part in parts.dropFirst() {
        switch part.filter({ $0 != " " && $0 != "\"" }) {
        case "rel=next": next = page
        case "rel=last": last = page
        default: break
        }
      }
    }
  }

  /// The number in `<…?page=3&per_page=50>`.
  private static func page(_ target: Substring) -> Int? {
    let query = target.split(separator: "?", maxSplits: 1).last ?? ""
    let value = query.split(separator: "&").first { $0.hasPrefix("page=") }?.dropFirst("page=".count)
    return value.flatMap { Int($0.prefix(while: \.isNumber)) }
  }
}

extension PageParams? {
  /// The parameters of the request.
  var query: KeyValuePairs<String, String?> {
    ["page": self?.page.map { "\($0)" }, "per_page": self?.perPage.map { "\($0)" }]
  }
}

extension HTTPField.Name {
  fileprivate static let xTotalCount = Self(unchecked: "X-Total-Count")
  fileprivate static let link = Self(unchecked: "Link")
}
