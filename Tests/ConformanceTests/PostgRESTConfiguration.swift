import SupabaseServices
import SwiftwaterHTTP
import SwiftwaterTokens

/// PostgREST's settings as the outside cases give them.
struct PostgRESTConfiguration {
  private let settings: [String: JSONValue]

  /// The settings of that name, which change some of the default ones.
  init(_ name: String, in all: [String: [String: JSONValue]]) {
    settings = (all["default"] ?? [:]).merging(all[name] ?? [:]) { _, own in own }
  }

  func service() throws -> RESTService.Configuration {
    let keys = try string("jwt-secret").map { try JWTKeySet($0, isBase64: isOn("jwt-secret-is-base64")) }
    var service = RESTService.Configuration(
      schemas: strings("db-schemas"), anonymousRole: string("db-anon-role"),
      tokens: JWTSettings(keys: keys, audience: string("jwt-aud"), cachedTokens: number("jwt-cache-max-entries") ?? 0))
    service.readsDatabaseSettings = isOn("db-config")
    service.extraSearchPath = strings("db-extra-search-path")
    service.maximumRows = number("db-max-rows")
    service.allowsAggregates = isOn("db-aggregates-enabled")
    service.allowsPlans = isOn("db-plan-enabled")
    service.preRequest = string("db-pre-request")
    service.rootFunction = string("db-root-spec")
    service.preparesStatements = isOn("db-prepared-statements")
    service.reportsTiming = isOn("server-timing-enabled")
    service.traceField = string("server-trace-header")
    service.isTerse = string("client-error-verbosity") == "minimal"
    service.usesLegacyTargetNames = isOn("url-use-legacy-target-names")
    service.transactionEnd =
      switch string("db-tx-end") {
      case "rollback": .rollback
      case "commit": .commit
      case "commit-allow-override": .commitAllowingOverride
      default: .rollbackAllowingOverride
      }
    if case .array(let pairs)? = settings["app-settings"] {
      service.settings = pairs.compactMap { pair in
        guard case .array(let sides) = pair, case .string(let name)? = sides.first,
          case .string(let value)? = sides.last
        else { return nil }
        return (name, value)
      }
    }
    return service
  }

  /// The origins whose pages may read answers; empty for all.
  var allowedOrigins: [String] { strings("server-cors-allowed-origins") }

  private func isOn(_ name: String) -> Bool { settings[name] == .bool(true) }

  private func string(_ name: String) -> String? {
    if case .string(let text)? = settings[name] { text } else { nil }
  }

  private func number(_ name: String) -> Int? {
    if case .integer(let number)? = settings[name] { Int(number) } else { nil }
  }

  private func strings(_ name: String) -> [String] {
    guard case .array(let values)? = settings[name] else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
