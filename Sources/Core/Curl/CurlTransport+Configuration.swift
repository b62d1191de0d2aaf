extension CurlTransport {
  /// How a transport connects.
  public struct Configuration: Sendable {
    /// The most connections to one host at a time; further requests wait for a free one. 6 unless changed.
    public var maximumConnectionsPerHost = 6
    /// The longest time for name resolution, connecting and the TLS handshake together. 10 seconds unless changed.
    public var connectTimeout: Duration = .seconds(10)
    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?

    /// The defaults.
    public init() {}
  }
}
