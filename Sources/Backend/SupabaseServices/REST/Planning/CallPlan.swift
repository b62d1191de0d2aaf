internal import SwiftwaterPostgres

/// A function call with its arguments.
struct CallPlan: Sendable {
  enum Arguments: Sendable {
    /// Each on its own; a variadic one may have several values.
    case separate([(parameter: Routine.Parameter, values: [String])])
    /// Members of a JSON object, or of the first of a list.
    case json(String, isArray: Bool, [Routine.Parameter])
    /// The only, unnamed one.
    case single([UInt8], type: String)
  }

  var routine: Routine
  var arguments: Arguments
  /// Functions of the returned rows that the answer needs, which only the call itself can apply.
  var computedColumns: [String] = []
}

extension CallPlan {
  init(_ request: RESTRequest, _ payload: Payload?, name: String, _ catalog: Catalog) throws(RESTError) {
    let given = payload?.keys ?? request.arguments.map(\.name)
    let isPost = request.action == .call
    let finder = RoutineFinder(
      catalog, QualifiedName(request.schema, name), arguments: given,
      body: isPost ? request.contentType : nil)
    routine = try finder.routine()
    let names = Set(given)
    if routine.parameters.count == 1, let only = routine.parameters.first, only.name.isEmpty {
      arguments = .single(payload?.bytes ?? [], type: only.type)
      return
    }
    let parameters = routine.parameters.filter { names.contains($0.name) }
    switch payload {
    case .json(let json, _, let isArray)?: arguments = .json(json, isArray: isArray, parameters)
    case .arguments(let pairs)?: arguments = .separate(Self.values(pairs, parameters))
    case .raw?, nil: arguments = .separate(Self.values(request.arguments, parameters))
    }
  }

  private static func values(
    _ pairs: [(name: String, value: String)], _ parameters: [Routine.Parameter]
  ) -> [(parameter: Routine.Parameter, values: [String])] {
    parameters.map { parameter in
      let values = pairs.filter { $0.name == parameter.name }.map(\.value)
      return (parameter, parameter.isVariadic ? values : values.suffix(1))
    }
  }
}

extension Payload {
  fileprivate var bytes: [UInt8] {
    switch self {
    case .json(let json, _, _): Array(json.utf8)
    case .raw(let bytes): bytes
    case .arguments: []
    }
  }
}

extension SQLBuilder {
  /// The column of functions that return plain values.
  static let scalar = "swiftwater_scalar"

  /// The query that calls the function; its rows are what the function returns.
  mutating func call(_ plan: CallPlan) {
    let isScalar = !plan.routine.returnsComposite
    sql(isScalar ? "SELECT swiftwater_call.\(Self.scalar)" : "SELECT swiftwater_call.*")
    for column in plan.computedColumns { sql(", swiftwater_call.\(Self.quoted(column))") }
    sql(" FROM ")
    switch plan.arguments {
    case .separate(let arguments):
      call(plan.routine) { builder in
        builder.list(arguments) { builder, argument in
          builder.argument(argument.parameter)
          builder.bind(
            argument.parameter.isVariadic
              ? Self.arrayLiteral(argument.values) : argument.values.last ?? "")
          builder.sql("::\(argument.parameter.unboundedType)")
        }
      }
    case .single(let bytes, let type):
      call(plan.routine) { builder in
        builder.bind(type == "bytea" ? .binary(bytes) : .text(String(decoding: bytes, as: UTF8.self)))
        // Tells the function from others of its name.
        builder.sql("::\(type)")
      }
    case .json(_, _, let parameters) where parameters.isEmpty:
      call(plan.routine) { _ in }
    case .json(let json, let isArray, let parameters):
      sql("(SELECT * FROM json_to_recordset(")
      if !isArray { sql("json_build_array(") }
      bind(json)
      sql(isArray ? "::json)" : "::json))")
      sql(" AS swiftwater_record(")
      list(parameters) { $0.sql("\(Self.quoted($1.name)) \($1.unboundedType)") }
      sql(") LIMIT 1) AS swiftwater_body, LATERAL ")
      call(plan.routine) { builder in
        builder.list(parameters) { builder, parameter in
          builder.argument(parameter)
          builder.sql("swiftwater_body.\(Self.quoted(parameter.name))")
        }
      }
    }
  }

  private mutating func call(_ routine: Routine, arguments: (inout SQLBuilder) -> Void) {
    let isScalar = !routine.returnsComposite
    if isScalar { sql("(SELECT ") }
    name(routine.qualifiedName)
    sql("(")
    arguments(&self)
    sql(isScalar ? ") AS \(Self.scalar)) AS swiftwater_call" : ") AS swiftwater_call")
  }

  private mutating func argument(_ parameter: Routine.Parameter) {
    if parameter.isVariadic { sql("VARIADIC ") }
    identifier(parameter.name)
    sql(" := ")
  }
}
