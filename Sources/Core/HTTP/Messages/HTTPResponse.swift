/// The head of a response.
public struct HTTPResponse: Sendable, Hashable, CustomStringConvertible {
  /// How it went.
  public var status: Status
  /// The header fields.
  public var headerFields: HTTPFields

  /// Describes a response.
  public init(status: Status, headerFields: HTTPFields = HTTPFields()) {
    self.status = status
    self.headerFields = headerFields
  }

  /// Status and fields, without secrets.
  public var description: String {
    (["\(status)"] + headerFields.map(\.description)).joined(separator: "\n")
  }
}
