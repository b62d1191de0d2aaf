/// The fields of a message, in order; a name may occur several times.
public struct HTTPFields: Sendable, Hashable, CustomStringConvertible {
  @usableFromInline var fields: [HTTPField] = []

  /// No fields.
  public init() {}

  /// Fields in that order.
  public init(_ fields: some Sequence<HTTPField>) { self.fields = Array(fields) }

  /// The fields as on the wire, one a line, without secrets.
  public var description: String { fields.map(\.description).joined(separator: "\n") }

  /// The value of the first field of that name. Setting replaces all fields of the name; nil removes them.
  public subscript(name: HTTPField.Name) -> String? {
    get { fields.first { $0.name == name }?.value }
    set {
      if let newValue, !contains(name) {
        fields.append(HTTPField(name: name, value: newValue))
      } else {
        self[values: name] = newValue.map { [$0] } ?? []
      }
    }
  }

  /// The values of all fields of that name, in order. Setting puts them where the first one stood.
  public subscript(values name: HTTPField.Name) -> [String] {
    get { fields.compactMap { $0.name == name ? $0.value : nil } }
    set {
      let place = fields.firstIndex { $0.name == name } ?? fields.endIndex
      fields.removeAll { $0.name == name }
      fields.insert(contentsOf: newValue.map { HTTPField(name: name, value: $0) }, at: Swift.min(place, fields.count))
    }
  }

  /// All fields of that name, in order.
  public subscript(fields name: HTTPField.Name) -> [HTTPField] { fields.filter { $0.name == name } }

  /// These fields, with those of `defaults` whose names they lack: what is set for a call wins over what is configured,
  /// and that over what is built in.
  package func merging(defaults: HTTPFields) -> HTTPFields {
    var merged = self
    for field in defaults where !contains(field.name) { merged.append(field) }
    return merged
  }

  /// Makes room for so many fields.
  package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Adds a field behind the others.
  public mutating func append(_ field: HTTPField) { fields.append(field) }

  /// Whether a field of that name is present.
  public func contains(_ name: HTTPField.Name) -> Bool { fields.contains { $0.name == name } }
}

extension HTTPFields: RandomAccessCollection {
  /// The first field's position.
  public var startIndex: Int { fields.startIndex }
  /// The position behind the last field.
  public var endIndex: Int { fields.endIndex }
  /// The fields in order.
  @inlinable
  public func makeIterator() -> IndexingIterator<[HTTPField]> { fields.makeIterator() }
  /// The field at a position.
  public subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
  /// `[.accept: "text/csv"]`
  public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
    fields = elements.map { HTTPField(name: $0.0, value: $0.1) }
  }
}
