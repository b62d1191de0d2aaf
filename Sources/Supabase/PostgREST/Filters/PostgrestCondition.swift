/// A condition on rows as a value, to be joined with others by `or(_:)` and `and(_:)` or turned round by `not(_:)`.
///
/// ```swift
/// let found = client.from("todos").select()
///   .or([.eq("owner", value: name), .and([.is("owner", value: nil), .gt("priority", value: 3)])])
/// ```
///
/// Values are quoted where the request's syntax needs it, so any text may stand in them. A column may be a path into JSON
/// (`data->>city`) or into an embedded table (`author.name`); a name with other characters than letters, digits and
/// underscores is quoted by you, as in `"odd name"`.
public struct PostgrestCondition: Sendable, Hashable {
  /// What an operator compares with.
  enum Operand: Hashable {
    /// A value, quoted only inside other syntax.
    case value(String)
    /// A list in parentheses, its elements quoted.
    case list([String])
    /// A word of the syntax, such as `null`, which is never quoted.
    case word(String)
  }

  indirect enum Content: Hashable {
    case comparison(column: String, operation: String, Operand)
    /// `and` or `or` of several.
    case group(String, [PostgrestCondition])
  }

  private let content: Content
  private let isNegated: Bool

  private init(_ content: Content, isNegated: Bool = false) {
    self.content = content
    self.isNegated = isNegated
  }

  init(_ column: String, _ operation: String, _ operand: Operand) {
    self.init(.comparison(column: column, operation: operation, operand))
  }

  init(_ column: String, _ operation: PostgrestOperator, _ value: some PostgrestFilterValue) {
    self.init(column, operation.rawValue, .value(value.rawValue))
  }
}

extension PostgrestCondition {
  /// Rows for which all of the conditions hold.
  public static func and(_ conditions: [PostgrestCondition]) -> PostgrestCondition { Self(.group("and", conditions)) }

  /// Rows for which one of the conditions holds at least.
  public static func or(_ conditions: [PostgrestCondition]) -> PostgrestCondition { Self(.group("or", conditions)) }

  /// Rows for which the condition is false. As in SQL, one that NULL leaves undecided is not.
  public static func not(_ condition: PostgrestCondition) -> PostgrestCondition {
    Self(condition.content, isNegated: !condition.isNegated)
  }
}

// MARK: - In a request

extension PostgrestCondition {
  /// Whether it joins no conditions at all, which PostgREST has no syntax for.
  var isEmpty: Bool {
    switch content {
    case .comparison: false
    case .group(_, let conditions): conditions.isEmpty || conditions.contains(where: \.isEmpty)
    }
  }

  /// The query parameter that states the condition.
  ///
  /// - Parameter table: the embedded table whose rows it is about; nil for the request's own.
  func parameter(in table: String?) -> (name: String, value: String) {
    let prefix = table.map { "\($0)." } ?? ""
    let negation = isNegated ? "not." : ""
    return switch content {
    case .comparison(let column, let operation, let operand):
      (prefix + column, "\(negation)\(operation).\(operand.plainText)")
    case .group(let conjunction, let conditions):
      (prefix + negation + conjunction, Self.list(conditions))
    }
  }

  /// The condition as a member of `or=(…)`.
  private var member: String {
    let negation = isNegated ? "not." : ""
    return switch content {
    case .comparison(let column, let operation, let operand):
      "\(column).\(negation)\(operation).\(operand.quotedText)"
    case .group(let conjunction, let conditions): negation + conjunction + Self.list(conditions)
    }
  }

  private static func list(_ conditions: [PostgrestCondition]) -> String {
    "(\(conditions.map(\.member).joined(separator: ",")))"
  }
}

extension PostgrestCondition.Operand {
  /// A parameter's whole value needs no quotes: PostgREST would take them for part of it.
  fileprivate var plainText: String {
    switch self {
    case .value(let text), .word(let text): text
    case .list: quotedText
    }
  }

  fileprivate var quotedText: String {
    switch self {
    case .value(let text): text.quotedInList
    case .word(let text): text
    // PostgREST takes a list of one empty text, also in quotes, for an empty list; naming it twice means the same.
    case .list([""]): #"("","")"#
    case .list(let elements): "(\(elements.map(\.quotedInList).joined(separator: ",")))"
    }
  }
}
