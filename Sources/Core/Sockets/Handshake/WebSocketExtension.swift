internal import SwiftwaterHTTP

/// One member of `Sec-WebSocket-Extensions`: a name and parameters (RFC 6455 §9.1).
struct WebSocketExtension: Hashable {
  /// `name`, or `name=value`.
  struct Parameter: Hashable {
    var name: String
    var value: String?
  }

  var name: String
  var parameters: [Parameter]

  /// Reads the fields of a message; nil when they break the grammar.
  static func list(in fields: HTTPFields) -> [WebSocketExtension]? {
    var all: [WebSocketExtension] = []
    for value in fields[values: .secWebSocketExtensions] {
      var reader = Reader(value)
      guard let members = reader.members() else { return nil }
      all += members
    }
    return all
  }

  private struct Reader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func members() -> [WebSocketExtension]? {
      var members: [WebSocketExtension] = []
      repeat {
        // Empty members of a list are to be passed over (RFC 9110 §5.6.1.2).
        guard let name = token() else { continue }
        var member = WebSocketExtension(name: name, parameters: [])
        while skip(";") {
          guard let name = token() else { return nil }
          var parameter = Parameter(name: name, value: nil)
          if skip("=") {
            guard let value = skip("\"") ? quoted() : token() else { return nil }
            parameter.value = value
          }
          member.parameters.append(parameter)
        }
        members.append(member)
      } while skip(",")
      skipBlanks()
      return rest.isEmpty ? members : nil
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
      skipBlanks()
      guard rest.first == UInt8(ascii: mark) else { return false }
      rest.removeFirst()
      return true
    }

    private mutating func token() -> String? {
      skipBlanks()
      let token = rest.prefix(while: \.isHTTPToken)
      rest = rest[token.endIndex...]
      return token.isEmpty ? nil : String(token)
    }

    /// A quoted string behind its first quote; what it holds has to be a token.
    private mutating func quoted() -> String? {
      guard let value = token(), rest.first == UInt8(ascii: "\"") else { return nil }
      rest.removeFirst()
      return value
    }
  }
}
