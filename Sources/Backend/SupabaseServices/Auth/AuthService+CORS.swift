internal import SwiftwaterHTTP
public import SwiftwaterHTTPServer

extension AuthService {
  /// Which pages may read the service's answers: all, without cookies, and the fields that say which other pages there are.
  public static func corsPolicy() -> CORSPolicy {
    var policy = CORSPolicy()
    policy.methods = [.get, .post, .put, .delete]
    policy.exposedHeaders = [
      .init(unchecked: "X-Total-Count"), .init(unchecked: "Link"), .apiVersion, .errorCode, .retryAfter,
    ]
    return policy
  }
}
