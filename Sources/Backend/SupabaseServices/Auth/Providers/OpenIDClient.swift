internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterStreams
internal import SwiftwaterTokens

/// Asks OpenID providers: where things are (Discovery 1.0), for tokens (Core 1.0 §3.1.3), and by which keys they sign.
struct OpenIDClient: Sendable {
  /// What a provider says of itself.
  struct Metadata: Decodable, Sendable {
    var issuer: String
    var authorizationEndpoint: String
    var tokenEndpoint: String
    var keySetURL: String

    enum CodingKeys: String, CodingKey {
      case issuer
      case authorizationEndpoint = "authorization_endpoint"
      case tokenEndpoint = "token_endpoint"
      case keySetURL = "jwks_uri"
    }
  }

  /// What a provider gives for a code.
  struct Tokens: Decodable, Sendable {
    var idToken: String?
    var accessToken: String?
    var refreshToken: String?

    enum CodingKeys: String, CodingKey {
      case idToken = "id_token"
      case accessToken = "access_token"
      case refreshToken = "refresh_token"
    }
  }

  private struct Known: Sendable {
    var metadata: Metadata
    var verifier: JWTVerifier
    var date: ContinuousClock.Instant
  }

  private let transport: any ClientTransport
  private let known = LockIsolated<[String: Known]>([:])

  init(transport: any ClientTransport) { self.transport = transport }

  /// Where the provider's endpoints are.
  func metadata(_ provider: OpenIDProvider) async throws -> Metadata {
    try await know(provider, isFresh: false).metadata
  }

  /// Redeems a code.
  func tokens(_ provider: OpenIDProvider, code: String, redirectURI: String) async throws -> Tokens {
    let metadata = try await metadata(provider)
    let fields: [(String, String)] = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
      ("client_id", provider.clientID), ("client_secret", provider.clientSecret),
    ]
    let body = fields.map { "\($0.0)=\($0.1.percentEncodedForQuery)" }.joined(separator: "&")
    return try await ask(metadata.tokenEndpoint, form: body)
  }

  /// The claims of an ID token that the provider has made for one of its clients of ours.
  ///
  /// - Throws: `AuthError` for any other.
  func claims(of idToken: String, _ provider: OpenIDProvider) async throws -> JSONValue {
    var source = try await know(provider, isFresh: false)
    let token: JSONWebToken
    do {
      token = try source.verifier.verify(idToken)
    } catch .noSuitableKey, .invalidSignature {
      // The provider may have new keys.
      source = try await know(provider, isFresh: true)
      token = try Self.verified(idToken, source.verifier)
    } catch {
      throw Self.badToken
    }
    let claims = token.values
    guard claims["iss"]?.stringValue == source.metadata.issuer, claims["exp"]?.doubleValue != nil,
      claims["sub"]?.stringValue?.isEmpty == false
    else { throw Self.badToken }
    let audience = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
    guard !Set(audience).isDisjoint(with: [provider.clientID] + provider.furtherClientIDs) else {
      throw AuthError.invalid("Unacceptable audience in id_token")
    }
    return claims
  }

  private static let badToken = AuthError.invalid("Bad ID token")

  private static func verified(_ text: String, _ verifier: JWTVerifier) throws(AuthError) -> JSONWebToken {
    do { return try verifier.verify(text) } catch { throw badToken }
  }

  private func know(_ provider: OpenIDProvider, isFresh: Bool) async throws -> Known {
    let age = Duration.seconds(isFresh ? 10 : 600)
    if let known = known.withLock({ $0[provider.issuer] }), .now - known.date < age { return known }
    let base = provider.issuer.hasSuffix("/") ? String(provider.issuer.dropLast()) : provider.issuer
    let metadata: Metadata = try await ask(base + "/.well-known/openid-configuration")
    guard metadata.issuer == provider.issuer else { throw Self.failure("names another issuer") }
    let keys: JSONValue = try await ask(metadata.keySetURL)
    guard let set = try? JWTKeySet(keys.description) else { throw Self.failure("has no key that verifies ID tokens") }
    let fresh = Known(metadata: metadata, verifier: JWTVerifier(JWTSettings(keys: set, cachedTokens: 0)), date: .now)
    known.withLock { $0[provider.issuer] = fresh }
    return fresh
  }

  private func ask<Value: Decodable>(_ address: String, form: String? = nil) async throws -> Value {
    guard let url = URL(string: address) else { throw Self.failure("names an address that is none") }
    var request = try HTTPRequest(method: form == nil ? .get : .post, url: url)
    request.headerFields[.accept] = "application/json"
    if form != nil { request.headerFields[.contentType] = "application/x-www-form-urlencoded" }
    do {
      let (response, body) = try await transport.send(request, body: form.map { HTTPBody($0) })
      let bytes = try await body.collect(upTo: 1024 * 1024)
      guard response.status.code == 200 else { throw Self.failure("answers with \(response.status.code)") }
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch let error as AuthError {
      throw error
    } catch is CancellationError {
      throw CancellationError()
    } catch is DecodingError {
      throw Self.failure("answers with something else than is agreed")
    } catch {
      throw Self.failure("does not answer")
    }
  }

  private static func failure(_ reason: String) -> AuthError {
    .unexpected("Unable to exchange external code: the provider \(reason)")
  }
}
