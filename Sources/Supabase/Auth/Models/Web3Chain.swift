/// The blockchain whose wallet signs a message; open to chains that are not listed here.
public struct Web3Chain: RawRepresentable, Codable, Sendable, Hashable, ExpressibleByStringLiteral {
  /// The value as it stands on the wire.
  public let rawValue: String

  /// Takes any value.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Takes any value.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// Ethereum, with a message as in ERC-4361.
  public static let ethereum: Web3Chain = "ethereum"
  /// Solana.
  public static let solana: Web3Chain = "solana"
}
