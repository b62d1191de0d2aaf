import SwiftwaterCurl

/// The transport that every test uses, in this one place, so that the suite can hold another one to the same.
///
/// The environment's proxies are left out unless a test is about them.
func makeTransport(
  _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
) -> CurlTransport {
  var configuration = configuration
  if configuration.proxy == .environment { configuration.proxy = .none }
  return CurlTransport(configuration: configuration)
}
