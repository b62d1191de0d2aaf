/// The primary and foreign keys that views show.
struct ViewKeys {
  /// A key as one view shows it: for each of its columns the view's columns that hold it, which may be several.
  struct Exposure {
    var view: QualifiedName
    var columns: [[String]]

    /// Each choice of one column of the view for each column of the key.
    var choices: [[String]] {
      columns.reduce([[]]) { choices, names in choices.flatMap { choice in names.map { choice + [$0] } } }
    }
  }

  private struct Key: Hashable {
    var constraint: UInt32
    var role: CatalogContents.KeyColumn.Role
  }

  private var exposures: [Key: [Exposure]] = [:]
  private var primaryKeys: [QualifiedName: [String]] = [:]

  init(_ keyColumns: [CatalogContents.KeyColumn], views: [ViewColumns]) {
    let shown = Self.shownColumns(of: views)
    var index = keyColumns.startIndex
    while index < keyColumns.endIndex {
      let first = keyColumns[index]
      let columns = keyColumns[index...].prefix { $0.id == first.id && $0.role == first.role }
      index = columns.endIndex
      for (view, origins) in shown[first.table] ?? [] {
        let names = columns.map { origins[$0.column] ?? [] }
        guard names.allSatisfy({ !$0.isEmpty }) else { continue }
        if first.role == .primary {
          primaryKeys[view, default: []] += names.compactMap(\.first)
        } else {
          let key = Key(constraint: first.id, role: first.role)
          exposures[key, default: []].append(Exposure(view: view, columns: names))
        }
      }
    }
  }

  func primaryKey(of view: QualifiedName) -> [String] { primaryKeys[view] ?? [] }

  /// The views that show the referencing or the referenced columns of a foreign key.
  func exposures(ofForeignKey id: UInt32, as role: CatalogContents.KeyColumn.Role) -> [Exposure] {
    exposures[Key(constraint: id, role: role)] ?? []
  }

  /// For each table the views that show some of its columns, and under which names.
  private static func shownColumns(
    of views: [ViewColumns]
  ) -> [UInt32: [(view: QualifiedName, names: [Int: [String]])]] {
    let byID = Dictionary(views.map { ($0.id, $0) }) { first, _ in first }
    var shown: [UInt32: [(view: QualifiedName, names: [Int: [String]])]] = [:]
    for view in views {
      var tables: [UInt32: [Int: [String]]] = [:]
      for (column, origin) in view.origins where view.columns.indices.contains(column - 1) {
        // A view of a view shows what that one shows.
        var origin = origin
        var visited: Set<UInt32> = [view.id]
        while let inner = byID[origin.relation], visited.insert(inner.id).inserted,
          let next = inner.origins.first(where: { $0.column == origin.column })
        {
          origin = next.origin
        }
        tables[origin.relation, default: [:]][origin.column, default: []].append(view.columns[column - 1])
      }
      for (table, names) in tables { shown[table, default: []].append((view.name, names)) }
    }
    return shown
  }
}
