/// One header or trailer field (RFC 9110 §5).
public struct HTTPField: Sendable, Hashable, CustomStringConvertible {
  /// The name, compared without regard to case.
  public var name: Name
  /// The value as it stands on the wire, without surrounding white space.
  public var value: String

  /// Joins a name and a value.
  public init(name: Name, value: String) {
    self.name = name
    self.value = value
  }

  /// Name and value as on the wire, without secrets.
  public var description: String { "\(name): \(name.isCredential ? Redactor.mark : Redactor.quote(value))" }

  /// Whether `value` may go on the wire: no NUL, CR or LF (RFC 9110 §5.5).
  public static func isValidValue(_ value: String) -> Bool {
    var value = value
    return value.withUTF8 { bytes in bytes.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D } }
  }
}
