/// What became of a message.
public struct ResendMobileResponse: Decodable, Hashable, Sendable {
  /// The messaging service's identifier, where it gives one.
  public let messageId: String?

  /// Describes a message.
  public init(messageId: String? = nil) {
    self.messageId = messageId
  }

  enum CodingKeys: String, CodingKey {
    case messageId = "message_id"
  }
}
