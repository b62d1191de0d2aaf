/// A field and, if it holds JSON, the way to a value in it: `data->tags->>0`.
struct FieldPath: Equatable, Sendable {
  struct Step: Equatable, Sendable {
    enum Operand: Equatable, Sendable {
      case key(String)
      /// A signed number.
      case index(String)
    }

    var operand: Operand
    /// Whether the value comes as text (`->>`) and not as JSON.
    var isText: Bool
  }

  var name: String
  var steps: [Step] = []

  /// What the value is called when nobody named it: the last key on the way to it.
  var resultName: String? {
    guard !steps.isEmpty else { return nil }
    for case .key(let key) in steps.reversed().map(\.operand) { return key }
    return name
  }
}
