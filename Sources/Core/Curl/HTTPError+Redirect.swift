public import SwiftwaterHTTP

extension HTTPError.Kind {
  /// The server redirects too often, to an address that is none, or from `https` to `http`.
  public static let redirectFailed = HTTPError.Kind(rawValue: "redirectFailed")
}
