internal import Helpers

/// A function's arguments as a query has them: each a parameter of its own, in the text form of its PostgreSQL type.
enum FunctionArguments {
  /// The parameters in the order of their names.
  ///
  /// - Throws: `PostgrestError` of the kind `.invalidRequest` for what a query cannot say.
  static func parameters(of arguments: JSONValue) throws(PostgrestError) -> [(name: String, value: String)] {
    guard let members = arguments.objectValue else {
      throw PostgrestError(kind: .invalidRequest, message: "A function's arguments need names: give an object.")
    }
    var parameters: [(name: String, value: String)] = []
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      guard !value.isNull else {
        throw PostgrestError(
          kind: .invalidRequest,
          message:
            "The argument \"\(name)\" is NULL, which a query cannot say. Leave it out, or call without get and head.")
      }
      parameters.append((name, text(of: value)))
    }
    return parameters
  }

  private static func text(of value: JSONValue) -> String {
    switch value {
    case .string(let text): text
    case .array(let elements): "{" + elements.map(element).joined(separator: ",") + "}"
    case .null, .bool, .integer, .double, .object: value.rawValue
    }
  }

  /// The value inside an array literal, where NULL has a word of its own.
  private static func element(_ value: JSONValue) -> String {
    switch value {
    case .null: "NULL"
    case .array: text(of: value)
    case .bool, .integer, .double, .string, .object: text(of: value).quotedInArray
    }
  }
}
