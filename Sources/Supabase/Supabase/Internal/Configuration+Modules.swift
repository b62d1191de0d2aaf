internal import Auth
internal import FoundationEssentials
internal import Helpers
internal import PostgREST

// What becomes of the facade's configuration in each module.
extension SupabaseClient.Configuration {
  func databaseConfiguration(_ url: URL, _ key: ProjectKey) -> PostgrestClient.Configuration {
    PostgrestClient.Configuration(
      url: url.appending(path: "rest/v1"), schema: database.schema, headers: headers(key),
      http: global.http(merging: database.http), retryEnabled: database.retryEnabled,
      logger: database.logger ?? global.logger ?? supabaseDefaultLogger(label: "io.supabase.postgrest"),
      clock: database.clock ?? global.clock, encoder: database.encoder, decoder: database.decoder)
  }

  func authConfiguration(_ url: URL, _ key: ProjectKey) -> AuthClient.Configuration {
    var headers = headers(key)
    // Other keys than tokens are no bearers there.
    if key.isToken, !headers.contains(.authorization) { headers[.authorization] = "Bearer \(key.text)" }
    return AuthClient.Configuration(
      url: url.appending(path: "auth/v1"), headers: headers, flowType: auth.flowType,
      redirectToURL: auth.redirectToURL, storageKey: auth.storageKey ?? Self.storageKey(of: url),
      localStorage: key.isSecret ? InMemoryLocalStorage() : auth.localStorage,
      http: global.http(merging: auth.http), retryEnabled: auth.retryEnabled,
      autoRefreshToken: auth.autoRefreshToken && !key.isSecret, observesAppLifecycle: global.observesAppLifecycle,
      logger: auth.logger ?? global.logger ?? supabaseDefaultLogger(label: "io.supabase.auth"),
      clock: auth.clock ?? global.clock)
  }

  private func headers(_ key: ProjectKey) -> HTTPFields {
    global.headers.merging(defaults: [.apikey: key.text])
  }

  /// As the other SDKs name it, so that a session that one of them has stored is found.
  private static func storageKey(of url: URL) -> String {
    let project = url.host(percentEncoded: false)?.prefix { $0 != "." } ?? ""
    return "sb-\(project)-auth-token"
  }
}
