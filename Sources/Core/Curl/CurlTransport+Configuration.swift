extension CurlTransport {
  /// How a transport connects.
  public struct Configuration: Sendable {
    /// Which versions of HTTP are spoken. Unless changed, HTTP/2 over TLS with servers that offer it, else HTTP/1.1.
    public var httpVersion = HTTPVersion.automatic
    /// What becomes of responses that send the request elsewhere. Up to 20 in a row are followed unless changed.
    public var redirects = Redirects.follow(maximum: 20)
    /// The way to the servers. Unless changed, the environment's proxy variables decide.
    public var proxy = Proxy.environment

    /// The most connections to one host at a time; further requests wait for a free one. 6 unless changed.
    public var maximumConnectionsPerHost = 6
    /// The most requests at a time on one HTTP/2 connection; further ones open another. 100 unless changed; a server
    /// that allows fewer has its way.
    public var maximumStreamsPerConnection = 100
    /// The longest time for name resolution, connecting and the TLS handshake together. 10 seconds unless changed.
    public var connectTimeout: Duration = .seconds(10)
    /// The path of a Unix domain socket to connect to, whatever the request's authority says; no proxy is used then.
    public var unixSocketPath: String?

    /// A PEM file of the certificate authorities to trust instead of the system's.
    public var certificateAuthorityFile: String?
    /// The certificate authorities to trust instead of the system's, as PEM; goes before `certificateAuthorityFile`.
    public var certificateAuthorities: [UInt8]?
    /// What this side shows to servers that ask for a certificate.
    public var clientCertificate: ClientCertificate?

    /// The defaults.
    public init() {}
  }
}
