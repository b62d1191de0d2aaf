internal import FoundationEssentials
internal import SwiftwaterPostgres

/// The rows of a request's body: JSON that goes to PostgreSQL as it came, and the columns that it names.
struct Payload {
  /// The body as text.
  var json: String
  /// The columns to set: those asked for, or else the keys of the first object, which all objects then share.
  var keys: [String]
  var rowCount: Int

  /// Reads one object or an array of objects.
  ///
  /// - Parameter columns: the columns to set, NULL where a row lacks one; nil for those that the objects name, which
  ///   then must be the same in all of them.
  init(_ body: [UInt8], columns: [String]? = nil) throws(RESTError) {
    guard let json = String(validating: body, as: UTF8.self), !json.utf8.contains(0) else {
      throw .invalidBody("The body is not UTF-8 text")
    }
    let rows: [Row]
    do {
      rows = try JSONDecoder().decode(Rows.self, from: Data(body)).rows
    } catch {
      throw .invalidBody("Empty or invalid json")
    }
    let keys = columns ?? rows.first?.keys ?? []
    if columns == nil {
      let expected = Set(keys.map(ExactText.init))
      guard rows.allSatisfy({ Set($0.keys.map(ExactText.init)) == expected }) else {
        throw .invalidBody("All object keys must match")
      }
    }
    self.json = json
    // Who names a column twice in `columns` means it once.
    self.keys = Set(keys.map(ExactText.init)).map(\.text).sorted()
    rowCount = rows.count
  }

  private struct Rows: Decodable {
    var rows: [Row]

    init(from decoder: any Decoder) throws {
      if var list = try? decoder.unkeyedContainer() {
        rows = []
        while !list.isAtEnd { rows.append(try list.decode(Row.self)) }
      } else {
        rows = [try Row(from: decoder)]
      }
    }
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
