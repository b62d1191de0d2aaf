internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterPostgres

/// Who a request comes from: the role it runs as and the claims that policies can read.
struct RESTCaller {
  var role: String
  var isAnonymous: Bool
  /// The token's claims as JSON.
  var claims: String?
}

extension RESTCaller {
  /// Reads the bearer token, or else the `apikey`; without either the caller is anonymous.
  init(_ fields: HTTPFields, _ configuration: RESTService.Configuration) throws(RESTError) {
    guard let token = Self.bearerToken(fields) ?? fields[.apiKey] else {
      self.init(role: configuration.anonymousRole, isAnonymous: true, claims: nil)
      return
    }
    do {
      let token = try JSONWebToken(
        verifying: token, secret: configuration.jwtSecret, now: Date().timeIntervalSince1970)
      let role = token.role ?? configuration.anonymousRole
      self.init(role: role, isAnonymous: role == configuration.anonymousRole, claims: token.claims)
    } catch {
      throw .invalidToken(error)
    }
  }

  private static func bearerToken(_ fields: HTTPFields) -> String? {
    guard let value = fields[.authorization] else { return nil }
    let parts = value.split(separator: " ")
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}

extension RESTError {
  fileprivate static func invalidToken(_ refusal: JSONWebToken.Refusal) -> RESTError {
    switch refusal {
    case .malformed: .invalidToken("JWT could not be decoded: three parts of base64url are expected")
    case .unsupportedAlgorithm: .invalidToken("JWT is not signed by HS256")
    case .invalidSignature: .invalidToken("JWSError JWSInvalidSignature")
    case .expired: .invalidToken(code: "PGRST303", "JWT expired")
    case .notYetValid: .invalidToken(code: "PGRST303", "JWT not yet valid")
    }
  }
}

extension HTTPField.Name {
  static let apiKey = Self(unchecked: "apikey")
}
