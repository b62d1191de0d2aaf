internal import FoundationEssentials

/// The columns that the rows of a bulk insertion name between them.
enum BulkColumns {
  /// The sorted union of the rows' keys; nil when the JSON is no array of objects that name any.
  static func union(of json: [UInt8]) -> [String]? {
    guard json.first == UInt8(ascii: "["), let rows = try? JSONDecoder().decode([Row].self, from: Data(json)) else {
      return nil
    }
    let names = rows.reduce(into: Set<String>()) { $0.formUnion($1.keys) }
    return names.isEmpty ? nil : names.sorted()
  }

  private struct Row: Decodable {
    var keys: [String]

    init(from decoder: any Decoder) throws {
      keys = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
