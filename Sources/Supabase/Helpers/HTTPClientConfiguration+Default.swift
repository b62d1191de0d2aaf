// OFF internal import SwiftwaterCurl
// OFF
// OFF extension HTTPClientConfiguration {
// OFF   /// The stack that clients use unless told otherwise: one connection pool for the whole process, no middlewares.
// OFF   public static var `default`: HTTPClientConfiguration {
// OFF     HTTPClientConfiguration(transport: CurlTransport.shared)
// OFF   }
// OFF }
