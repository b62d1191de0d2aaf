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
    /// Whether reads are tried again while the server is away: on 503, 520, a lost connection or an idle timeout, four
    /// times in all with waits from one second up to thirty.
    public var retryEnabled: Bool
    /// Told of traffic at `trace` and of failures at `error`, without secrets.
    public var logger: ClientLogger
    /// The clock that waits before retries.
    public var clock: any Clock<Duration>
    /// Writes rows. By default dates are ISO 8601 and keys are property names.
    public var encoder: JSONEncoder
    /// Reads rows. By default dates are ISO 8601 with any fraction and offset.
    public var decoder: JSONDecoder

    /// Everything but the address has a default.
    public init(
      url: URL, schema: String? = nil, headers: HTTPFields = [:], http: HTTPClientConfiguration = .default,
      retryEnabled: Bool = true, logger: ClientLogger = supabaseDefaultLogger(label: "io.supabase.postgrest"),
      clock: any Clock<Duration> = ContinuousClock(),
      encoder: JSONEncoder = PostgrestClient.Configuration.jsonEncoder,
      decoder: JSONDecoder = PostgrestClient.Configuration.jsonDecoder
    ) {
      self.url = url
      self.schema = schema
      self.headers = headers
      self.http = http
      self.retryEnabled = retryEnabled
      self.logger = logger
      self.logger.metadata["system"] = "postgrest"
      self.clock = clock
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
