/// A message that a wallet has signed.
public struct Web3Credentials: Codable, Hashable, Sendable {
  /// The wallet's blockchain.
  public var chain: Web3Chain
  /// The message: Sign-In with Ethereum (ERC-4361), or its like.
  public var message: String
  /// The signature: hexadecimal for Ethereum, base64url for Solana.
  public var signature: String
  /// The proof that a person is at work.
  public var gotrueMetaSecurity: AuthMetaSecurity?

  /// Takes a signed message.
  public init(chain: Web3Chain, message: String, signature: String, gotrueMetaSecurity: AuthMetaSecurity? = nil) {
    self.chain = chain
    self.message = message
    self.signature = signature
    self.gotrueMetaSecurity = gotrueMetaSecurity
  }

  enum CodingKeys: String, CodingKey {
    case chain, message, signature
    case gotrueMetaSecurity = "gotrue_meta_security"
  }
}
