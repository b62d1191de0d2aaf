internal import SwiftwaterHTTP
internal import SwiftwaterTokens

/// Who a request comes from: the role it runs as and the claims that policies can read.
struct RESTCaller {
  var role: String
  var isAnonymous: Bool
  /// The token's claims as JSON.
  var claims: String?
}

extension RESTCaller {
  /// Reads the bearer token, or else the `apikey`; without either the caller is anonymous.
  ///
  /// - Parameters:
  ///   - rolePath: where a token names its role.
  ///   - anonymousRole: who callers are whose token names no role; nil to refuse them.
  init(
    _ fields: HTTPFields, verifier: JWTVerifier, rolePath: JWTClaimPath, anonymousRole: String?
  ) throws(RESTError) {
    guard let text = Self.bearerToken(fields) ?? fields[.apiKey] else {
      guard let anonymousRole else { throw .anonymousIsRefused }
      self.init(role: anonymousRole, isAnonymous: true, claims: nil)
      return
    }
    let token: JSONWebToken
    do {
      token = try verifier.verify(text)
    } catch {
      throw .refused(error)
    }
    guard let role = rolePath.text(in: token.values) ?? anonymousRole else { throw .anonymousIsRefused }
    self.init(role: role, isAnonymous: role == anonymousRole, claims: Self.claims(of: token, with: role))
  }

  /// The claims as the token has them; with the role where they do not name it, which policies read there.
  private static func claims(of token: JSONWebToken, with role: String) -> String {
    guard token.values["role"]?.stringValue != role, let end = token.claims.lastIndex(of: "}") else {
      return token.claims
    }
    var member = JSONWriter()
    member.object([(name: "role", value: role)])
    // Of two members with one name PostgreSQL takes the last.
    let separator = token.values.objectValue?.isEmpty == true ? "" : ","
    return token.claims[..<end] + separator + String(decoding: member.bytes.dropFirst(), as: UTF8.self)
  }

  /// What stands behind `Bearer`, which may be nothing; nil for another scheme.
  private static func bearerToken(_ fields: HTTPFields) -> String? {
    guard let value = fields[.authorization] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard let scheme = parts.first, scheme.lowercased() == "bearer" else { return nil }
    return parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
  }
}

// The words are PostgREST's.
extension RESTError {
  fileprivate static let anonymousIsRefused = RESTError(
    status: 401, code: "PGRST302", message: "Anonymous access is disabled", challenge: "Bearer")

  fileprivate static func refused(_ refusal: JSONWebToken.Refusal) -> RESTError {
    let noKey = "No suitable key or wrong key type"
    let wrongAlgorithm = "Wrong or unsupported encoding algorithm"
    return switch refusal {
    case .noKeys: RESTError(status: 500, code: "PGRST300", message: "Server lacks JWT secret")
    case .empty: undecodable("Empty JWT is sent in Authorization header")
    case .parts(let count): undecodable("Expected 3 parts in JWT; got \(count)")
    case .malformed: undecodable("JWT cryptographic operation failed")
    case .unsecured: undecodable(wrongAlgorithm, details: "JWT is unsecured but expected 'alg' was not 'none'")
    case .unsupportedAlgorithm: undecodable(wrongAlgorithm)
    case .noSuitableKey: undecodable(noKey, details: "No suitable key was found to decode the JWT")
    case .invalidSignature: undecodable(noKey, details: "None of the keys was able to decode the JWT")
    case .malformedClaims: invalidClaims("Parsing claims failed")
    case .claimIsNoNumber(let claim): invalidClaims("The JWT '\(claim)' claim must be a number")
    case .malformedAudience: invalidClaims("The JWT 'aud' claim must be a string or an array of strings")
    case .expired: invalidClaims("JWT expired")
    case .notYetValid: invalidClaims("JWT not yet valid")
    case .issuedInFuture: invalidClaims("JWT issued at future")
    case .wrongAudience: invalidClaims("JWT not in audience")
    }
  }

  private static func undecodable(_ message: String, details: String? = nil) -> RESTError {
    var error = invalidToken(message)
    error.details = details.map(RESTError.Details.text)
    return error
  }

  private static func invalidClaims(_ message: String) -> RESTError { invalidToken(code: "PGRST303", message) }
}

extension HTTPField.Name {
  static let apiKey = Self(unchecked: "apikey")
}
