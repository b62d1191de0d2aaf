/// Why a connection was closed (RFC 6455 §7.4), open to codes that are not listed here.
///
/// Codes from 3000 are registered by libraries, those from 4000 to 4999 belong to the application.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code.
  public let rawValue: UInt16

  /// Takes any code.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The code as a number.
  public var description: String { "\(rawValue)" }

  /// The purpose is fulfilled.
  public static let normalClosure = Self(rawValue: 1000)
  /// The server goes down, or the user has left.
  public static let goingAway = Self(rawValue: 1001)
  /// The peer broke the protocol.
  public static let protocolError = Self(rawValue: 1002)
  /// The endpoint cannot use this type of data.
  public static let unsupportedData = Self(rawValue: 1003)
  /// The peer gave no code. Never on the wire.
  public static let noStatusReceived = Self(rawValue: 1005)
  /// The connection ended without a Close frame. Never on the wire.
  public static let abnormalClosure = Self(rawValue: 1006)
  /// A text is not UTF-8.
  public static let invalidPayload = Self(rawValue: 1007)
  /// A message breaks the endpoint's rules.
  public static let policyViolation = Self(rawValue: 1008)
  /// A message is too big.
  public static let messageTooBig = Self(rawValue: 1009)
  /// The server did not agree to an extension that the client needs.
  public static let mandatoryExtension = Self(rawValue: 1010)
  /// The server met with something unexpected.
  public static let internalError = Self(rawValue: 1011)
  /// The server restarts: come back a little later.
  public static let serviceRestart = Self(rawValue: 1012)
  /// The server is overloaded: come back later.
  public static let tryAgainLater = Self(rawValue: 1013)

  /// Whether the code may stand in a Close frame: registered for that, or free for libraries and applications.
  package var isSendable: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
