public import FoundationEssentials
public import Helpers

/// What an identity provider is told to be; what is nil stays, or is left to the server.
public struct SSOProviderAttributes: Encodable, Hashable, Sendable {
  /// The protocol, `saml`.
  public var type: String?
  /// Where its metadata lies.
  public var metadataURL: URL?
  /// Its metadata itself.
  public var metadataXML: String?
  /// The domains whose users sign in with it.
  public var domains: [String]?
  /// Which of its attributes become which claims.
  public var attributeMapping: JSONValue?

  /// Describes a provider.
  public init(
    type: String? = "saml", metadataURL: URL? = nil, metadataXML: String? = nil, domains: [String]? = nil,
    attributeMapping: JSONValue? = nil
  ) {
    self.type = type
    self.metadataURL = metadataURL
    self.metadataXML = metadataXML
    self.domains = domains
    self.attributeMapping = attributeMapping
  }

  private enum CodingKeys: String, CodingKey {
    case type, domains
    case metadataURL = "metadata_url"
    case metadataXML = "metadata_xml"
    case attributeMapping = "attribute_mapping"
  }
}
