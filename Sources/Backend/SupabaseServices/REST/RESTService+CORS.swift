internal import SwiftwaterHTTP
public import SwiftwaterHTTPServer

extension RESTService {
  /// Which pages may read the service's answers, and which fields of them.
  ///
  /// - Parameter allowedOrigins: those pages' origins; pages of any origin, without credentials, if it is empty.
  public static func corsPolicy(allowedOrigins: [String] = []) -> CORSPolicy {
    var policy = CORSPolicy()
    if !allowedOrigins.isEmpty {
      policy.origins = .listed(Set(allowedOrigins))
      policy.allowsCredentials = true
    }
    policy.methods = [.get, .post, .patch, .put, .delete, .options, .head]
    // In this order, as PostgREST grants them.
    policy.requestHeaders = .anyBetween(
      [.authorization], [.accept, .init(unchecked: "Accept-Language"), .init(unchecked: "Content-Language")])
    policy.exposedHeaders = [
      .contentEncoding, .contentLocation, .contentRange, .contentType, .date, .location, .init(unchecked: "Server"),
      .transferEncoding, .rangeUnit,
    ]
    policy.preflightStatus = .ok
    policy.maximumAge = .seconds(86_400)
    return policy
  }
}
