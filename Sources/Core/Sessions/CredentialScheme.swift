public import FoundationEssentials

/// What a kind of credential is: how it is stored, how long it is good, and how it is renewed.
public struct CredentialScheme<Credential: Sendable>: Sendable {
  let encode: @Sendable (Credential) throws -> [UInt8]
  let decode: @Sendable ([UInt8]) throws -> Credential
  let validity: @Sendable (Credential) -> CredentialValidity?
  let refresh: @Sendable (Credential) async throws -> Credential
  let classify: @Sendable (any Error) -> RefreshFailure

  /// Describes a kind of credential in a format of its own.
  ///
  /// - Parameters:
  ///   - encode: The bytes for the store.
  ///   - decode: The credential in bytes of the store. Throws for others.
  ///   - validity: How long it is good; nil if it does not expire.
  ///   - refresh: Asks the server for a successor. Never called twice at the same time, nor for a credential that was
  ///     replaced. It has to end by itself, so give its request a timeout; it is cancelled only when its result is not
  ///     wanted any more. It must not ask the manager, as it would wait for itself.
  ///   - classify: What an error of `refresh` means. What you do not know should be `.transient`, which keeps the
  ///     credential.
  public init(
    encode: @escaping @Sendable (Credential) throws -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Credential,
    validity: @escaping @Sendable (Credential) -> CredentialValidity?,
    refresh: @escaping @Sendable (Credential) async throws -> Credential,
    classify: @escaping @Sendable (any Error) -> RefreshFailure
  ) {
    self.encode = encode
    self.decode = decode
    self.validity = validity
    self.refresh = refresh
    self.classify = classify
  }
}

extension CredentialScheme where Credential: Codable {
  /// Describes a kind of credential that is stored as JSON.
  ///
  /// - Parameters:
  ///   - encoder: Writes it for the store; plain unless given.
  ///   - decoder: Reads what `encoder` writes; plain unless given.
  ///   - validity: How long it is good; nil if it does not expire.
  ///   - refresh: Asks the server for a successor; see ``init(encode:decode:validity:refresh:classify:)``.
  ///   - classify: What an error of `refresh` means.
  public init(
    encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder(),
    validity: @escaping @Sendable (Credential) -> CredentialValidity?,
    refresh: @escaping @Sendable (Credential) async throws -> Credential,
    classify: @escaping @Sendable (any Error) -> RefreshFailure
  ) {
    self.init(
      encode: { Array(try encoder.encode($0)) },
      decode: { try decoder.decode(Credential.self, from: Data($0)) },
      validity: validity, refresh: refresh, classify: classify)
  }
}
