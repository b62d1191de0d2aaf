internal import SwiftwaterCurl

extension HTTPClientConfiguration {
  /// The stack that clients use unless told otherwise: one connection pool for the whole process, no middlewares.
  public static var `default`: HTTPClientConfiguration {
    #if canImport(Darwin)
      HTTPClientConfiguration(transport: URLSessionTransport.shared)
    #else
      HTTPClientConfiguration(transport: CurlTransport.shared)
    #endif
  }
}
