/// Takes mails and text messages to users.
public protocol MessageDelivery: Sendable {
  /// Delivers a message, or throws if it cannot; then whoever asked for it hears of a failure.
  func deliver(_ message: AuthMessage) async throws
}
