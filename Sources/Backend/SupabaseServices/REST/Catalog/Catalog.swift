internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// What the service knows of the database: its schema cache. An object, since every request takes one along.
final class Catalog: Sendable {
  struct MediaKey: Hashable, Sendable {
    /// nil for handlers of all relations.
    var target: QualifiedName?
    var mediaType: String
  }

  /// What PostgreSQL says it has not changed since.
  let fingerprint: String
  /// Stands for the fingerprint in statements.
  let version: String
  let relations: [QualifiedName: Relation]
  let routines: [QualifiedName: [Routine]]
  let relationships: [QualifiedName: [Relationship]]
  let mediaHandlers: [MediaKey: (handler: MediaHandler, answerType: String)]
  private let representations: [String: [String: String]]
  private let computedTypes: [QualifiedName: [String: String]]
  private let domains: [String: String]
  let roleSettings: [String: [Routine.Setting]]
  /// `search_path` for requests of each exposed schema.
  let searchPaths: [String: String]
  /// Texts and plans that have been needed before and hold for this catalog.
  let contexts = LockIsolated(RequestContext.Texts())
  /// Nil for forms whose plans cannot be kept.
  let requests = LockIsolated(RecentValues<ExactText, CachedRequest?>(capacity: 1024))
  /// What has to run behind each request on its connection, because functions of this database may leave something there.
  let cleanup: [String]

  /// How the service presents the database, the database's own word included.
  let configuration: RESTService.Configuration

  init(
    _ contents: CatalogContents, _ configuration: RESTService.Configuration, views: [ViewColumns], fingerprint: String
  ) {
    self.configuration = configuration
    self.fingerprint = fingerprint
    // FNV-1a: short, and the same for the same catalog.
    let hash = fingerprint.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    version = String(hash, radix: 36)
    let schemas = configuration.schemas
    let keys = ViewKeys(contents.keys, views: views)
    var relations: [QualifiedName: Relation] = [:]
    for var relation in contents.relations where schemas.contains(relation.schema) {
      if relation.isView { relation.primaryKey = keys.primaryKey(of: relation.qualifiedName) }
      relations[relation.qualifiedName] = relation
    }
    self.relations = relations
    relationships = RelationshipBuilder(contents, keys: keys, schemas: schemas).relationships
    var routines: [QualifiedName: [Routine]] = [:]
    for routine in contents.routines { routines[routine.qualifiedName, default: []].append(routine) }
    for name in routines.keys { routines[name]?.sort { $0.parameters.count < $1.parameters.count } }
    self.routines = routines
    var representations: [String: [String: String]] = [:]
    for representation in contents.representations {
      representations[representation.source, default: [:]][representation.target] = representation.function
    }
    self.representations = representations
    var mediaHandlers: [MediaKey: (handler: MediaHandler, answerType: String)] = [:]
    for handler in contents.mediaHandlers {
      let target = handler.isForAll ? nil : QualifiedName(handler.targetSchema, handler.targetName)
      let function = MediaHandler.function(
        QualifiedName(handler.schema, handler.name), row: handler.isForAll ? nil : target,
        isBinary: handler.isBinary)
      mediaHandlers[MediaKey(target: target, mediaType: handler.mediaType)] = (function, handler.answerType)
    }
    self.mediaHandlers = mediaHandlers
    var computedTypes: [QualifiedName: [String: String]] = [:]
    for column in contents.computedColumns {
      computedTypes[QualifiedName(column.schema, column.relation), default: [:]][column.name] = column.type
    }
    self.computedTypes = computedTypes
    domains = Dictionary(contents.domains.map { ($0.name, $0.base) }) { first, _ in first }
    var roleSettings: [String: [Routine.Setting]] = [:]
    for setting in contents.roleSettings {
      roleSettings[setting.role, default: []].append(.init(name: setting.name, value: setting.value))
    }
    self.roleSettings = roleSettings
    searchPaths = Dictionary(
      schemas.map { schema in
        (schema, ([schema] + configuration.extraSearchPath).map { SQLBuilder.quoted($0) }.joined(separator: ", "))
      }, uniquingKeysWith: { first, _ in first })
    cleanup = Leftover.allCases.filter(Set(contents.leftovers).contains).map(\.cleanup)
  }

  /// The type of a column, or of a function that is used like one; nil for what is neither.
  func type(of column: String, in node: ReadNode) -> String? {
    node.known?.column(column)?.type ?? computedTypes[node.relation]?[column]
  }

  /// The type that a domain restricts, or the type itself.
  func baseType(_ type: String) -> String {
    var type = type
    while let base = domains[type], base != type { type = base }
    return type
  }

  /// The functions of its rows that a node's query uses like columns.
  func computedColumns(of node: ReadNode) -> [String] {
    guard let known = node.known, let computed = computedTypes[node.relation] else { return [] }
    func names(_ condition: ReadNode.Condition) -> [String] {
      switch condition {
      case .filter(let filter, _, _, _): [filter.path.name]
      case .junction(_, _, let members): members.flatMap(names)
      case .presence, .unresolved: []
      }
    }
    let used =
      node.columns.map(\.field.path.name) + node.conditions.flatMap(names)
      + node.order.filter { $0.embed == nil }.map(\.path.name)
    return Set(used).filter { known.column($0) == nil && computed[$0] != nil }.sorted()
  }

  /// The function that converts a type into another on the way in or out.
  func representation(from source: String, to target: String) -> String? {
    representations.isEmpty ? nil : representations[source]?[target]
  }

  /// Whether rows of the relation hold values that are converted on the way out.
  func hasRepresentations(_ relation: Relation) -> Bool {
    !representations.isEmpty && relation.columns.contains { representation(from: $0.type, to: "json") != nil }
  }
}
