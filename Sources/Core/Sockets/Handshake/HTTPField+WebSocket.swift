internal import SwiftwaterHTTP

extension HTTPField.Name {
  static let upgrade = Self(unchecked: "Upgrade")
  static let secWebSocketAccept = Self(unchecked: "Sec-WebSocket-Accept")
  static let secWebSocketExtensions = Self(unchecked: "Sec-WebSocket-Extensions")
  static let secWebSocketKey = Self(unchecked: "Sec-WebSocket-Key")
  static let secWebSocketProtocol = Self(unchecked: "Sec-WebSocket-Protocol")
  static let secWebSocketVersion = Self(unchecked: "Sec-WebSocket-Version")
}

extension HTTPFields {
  /// The members of a comma-separated list that may be spread over several fields, without white space around them.
  ///
  /// Only for lists of tokens: commas in quotes are not respected.
  func list(_ name: HTTPField.Name) -> [String] {
    self[values: name].flatMap { $0.split(separator: ",") }
      .map { String($0.drop(while: \.isBlank).trimmingBlanks) }
      .filter { !$0.isEmpty }
  }

  /// Whether the list of that name has this member, without regard to case.
  func list(_ name: HTTPField.Name, contains member: String) -> Bool {
    list(name).contains { $0.lowercased() == member }
  }
}

extension Character {
  /// Space or tab, HTTP's white space.
  var isBlank: Bool { self == " " || self == "\t" }
}

extension Substring {
  /// Without blanks at both ends.
  var trimmingBlanks: Substring {
    let front = drop(while: \.isBlank)
    guard let last = front.lastIndex(where: { !$0.isBlank }) else { return front[front.endIndex...] }
    return front[...last]
  }
}
