/// The media type of an answer and what makes its body.
struct Negotiation: Equatable, Sendable {
  enum Body: Equatable, Sendable {
    /// Nothing is wanted.
    case none
    case array(stripsNulls: Bool)
    case object(stripsNulls: Bool)
    case csv
    case geoJSON
    case custom(QualifiedName, row: QualifiedName?, isBinary: Bool)
  }

  var mediaType: MediaType
  var body: Body

  /// Whether the body is JSON of the rows, or none.
  var isPlain: Bool {
    if case .plan = mediaType { return false }
    return switch body {
    case .array, .object, .none: true
    case .csv, .geoJSON, .custom: false
    }
  }

  /// Whether the body is a text of any number of rows.
  var isList: Bool {
    if case .plan = mediaType { return false }
    return switch body {
    case .array, .csv, .geoJSON: true
    case .none, .object, .custom: false
    }
  }
}

extension Negotiation {
  /// Picks the first of the accepted types that there is.
  ///
  /// - Parameters:
  ///   - target: the relation whose rows the answer has, or the function.
  ///   - hasDefaultSelect: whether the rows are whole, as handlers of single relations want them.
  init(
    _ request: RESTRequest, target: QualifiedName, hasDefaultSelect: Bool, _ catalog: Catalog
  ) throws(RESTError) {
    for type in request.accepted {
      guard let found = Self.find(type, target: target, hasDefaultSelect: hasDefaultSelect, catalog)
      else { continue }
      self = found
      let isMutation = [.insert, .update, .put, .delete].contains(request.action)
      if request.isHead || isMutation && request.preferences.returning != .representation { body = .none }
      return
    }
    throw .notAcceptable(request.accepted)
  }

  private static func find(
    _ type: MediaType, target: QualifiedName, hasDefaultSelect: Bool, _ catalog: Catalog
  ) -> Negotiation? {
    switch type {
    case .object(let stripsNulls): return Negotiation(mediaType: type, body: .object(stripsNulls: stripsNulls))
    case .array(let stripsNulls): return Negotiation(mediaType: type, body: .array(stripsNulls: stripsNulls))
    case .plan(_, let subject):
      guard catalog.configuration.allowsPlans else { return nil }
      return find(subject, target: target, hasDefaultSelect: hasDefaultSelect, catalog)
        .map { Negotiation(mediaType: type, body: $0.body) }
    case .other(let name):
      var keys = [Catalog.MediaKey(target: nil, mediaType: name)]
      if hasDefaultSelect {
        keys.insert(contentsOf: ["*/*", name].map { Catalog.MediaKey(target: target, mediaType: $0) }, at: 0)
      }
      for key in keys {
        guard let (handler, answerType) = catalog.mediaHandlers[key] else { continue }
        return Negotiation(mediaType: .other(answerType), body: handler.body)
      }
      return builtIn(name)
    }
  }

  private static func builtIn(_ name: String) -> Negotiation? {
    switch name {
    case "*/*", "application/*", "application/json":
      Negotiation(mediaType: .json, body: .array(stripsNulls: false))
    case "text/csv": Negotiation(mediaType: .other(name), body: .csv)
    case "application/geo+json": Negotiation(mediaType: .other(name), body: .geoJSON)
    default: nil
    }
  }
}

extension MediaHandler {
  fileprivate var body: Negotiation.Body {
    switch self {
    case .function(let name, let row, let isBinary): .custom(name, row: row, isBinary: isBinary)
    }
  }
}
