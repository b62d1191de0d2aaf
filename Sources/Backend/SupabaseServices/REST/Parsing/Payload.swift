/// The body of a request that writes or calls.
enum Payload: Sendable {
  /// Rows or arguments as JSON, which goes to PostgreSQL as it came.
  ///
  /// - Parameters:
  ///   - keys: the columns or arguments that it gives, in the order of their names.
  ///   - isArray: whether it is a list of objects.
  case json(String, keys: [String], isArray: Bool)
  /// Arguments of a call as a form has them.
  case arguments([(name: String, value: String)])
  /// The only argument of a call, as it is.
  case raw([UInt8])

  var keys: [String] {
    switch self {
    case .json(_, let keys, _): keys
    case .arguments(let arguments): arguments.map(\.name)
    case .raw: []
    }
  }
}

extension Payload {
  init(_ body: [UInt8], of request: RESTRequest) throws(RESTError) {
    let isCall = request.action == .call
    switch request.contentType {
    case .json: try self.init(json: body, columns: request.columns, isCall: isCall)
    case .other("text/csv"): try self.init(csv: try Self.text(body))
    case .other("application/x-www-form-urlencoded"):
      let parameters = try QueryParameters(try Self.text(body)[...]).parameters
        .map { (name: $0.name, value: $0.value ?? "") }
      if isCall {
        self = .arguments(parameters)
      } else {
        var writer = JSONWriter()
        let members = Dictionary(parameters.map { ($0.name, $0.value) }) { _, last in last }
        writer.object(members.map { (name: $0.key, value: $0.value) })
        self = .json(writer.text, keys: members.keys.sorted(), isArray: false)
      }
    case .other("text/plain") where isCall, .other("text/xml") where isCall:
      self = .raw(Array(try Self.text(body).utf8))
    case .other("application/octet-stream") where isCall: self = .raw(body)
    default: throw .invalidBody("Content-Type not acceptable: \(request.contentType.name)")
    }
  }

  private init(json body: [UInt8], columns: [String]?, isCall: Bool) throws(RESTError) {
    if body.isEmpty, isCall {
      self = .json("{}", keys: [], isArray: false)
      return
    }
    if let columns {
      // PostgreSQL reads it.
      let first = body.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
      self = .json(try Self.text(body), keys: Self.unique(columns), isArray: first != UInt8(ascii: "{"))
      return
    }
    let json: JSONKeys
    do {
      json = try JSONKeys(body)
    } catch {
      throw .invalidBody("Empty or invalid json")
    }
    guard let keys = json.keys, !json.hasOtherElements else { throw .invalidBody("All object keys must match") }
    // What is no object and no list of them says nothing.
    let text = json.shape == .other ? "[]" : try Self.text(body)
    self = .json(text, keys: Self.unique(keys), isArray: json.shape != .object)
  }

  private init(csv text: String) throws(RESTError) {
    let table: CSVTable
    do {
      table = try CSVTable(text)
    } catch {
      throw .invalidBody("Empty or invalid CSV")
    }
    do {
      self = .json(try table.json(), keys: Self.unique(table.names), isArray: true)
    } catch {
      throw .invalidBody("All lines must have same number of fields")
    }
  }

  private static func text(_ body: [UInt8]) throws(RESTError) -> String {
    guard let text = String(validating: body, as: UTF8.self), !text.utf8.contains(0) else {
      throw .invalidBody("The body is not UTF-8 text")
    }
    return text
  }

  /// Who names a column twice means it once.
  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<[UInt8]> = []
    return names.filter { seen.insert(Array($0.utf8)).inserted }.sorted()
  }
}
