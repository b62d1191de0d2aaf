public import FoundationEssentials
public import Helpers

extension PostgrestClient {
  /// Where the server is and how to speak with it.
  public struct Configuration: Sendable {
    /// The service's address: `https://project.supabase.co/rest/v1`.
    public var url: URL
    /// The schema to work in; nil for the server's default.
    public var schema: String?
    /// Sent with every request; a field set for one call wins.
    public var headers: HTTPFields
    /// The HTTP stack.
    public var http: HTTPClientConfiguration
    /// Writes rows. By default dates are ISO 8601 and keys are property names.
    public var encoder: JSONEncoder
    /// Reads rows. By default dates are ISO 8601 with any fraction and offset.
    public var decoder: JSONDecoder

    /// Everything but the address has a default.
    public init(
      url: URL, schema: String? = nil, headers: HTTPFields = [:], http: HTTPClientConfiguration = .default,
      encoder: JSONEncoder = PostgrestClient.Configuration.jsonEncoder,
      decoder: JSONDecoder = PostgrestClient.Configuration.jsonDecoder
    ) {
      self.url = url
      self.schema = schema
      self.headers = headers
      self.http = http
      self.encoder = encoder
      self.decoder = decoder
    }

    /// A new default encoder.
    public static var jsonEncoder: JSONEncoder {
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .iso8601Microseconds
      return encoder
    }

    /// A new default decoder.
    public static var jsonDecoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601Microseconds
      return decoder
    }
  }
}
