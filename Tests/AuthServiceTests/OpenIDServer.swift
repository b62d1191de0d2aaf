import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import SwiftwaterTokens

/// An OpenID provider on loopback, whose only user consents to everything.
actor OpenIDServer {
  /// What it says of its user.
  private var claims: [String: JSONValue] = ["sub": "acme-1", "email": "ada@example.com", "email_verified": true]
  private var key: ES256PrivateKey
  private var codes: [String: (nonce: String, redirect: String)] = [:]
  private var isBroken = false
  private(set) var issuer = ""

  static let clientID = "swiftwater"
  static let secret = "a secret between the two"

  init() throws { key = try ES256PrivateKey() }

  static func with(_ body: (OpenIDServer) async throws -> Void) async throws {
    let provider = try OpenIDServer()
    var router = Router()
    router.get("/.well-known/openid-configuration") { _ in await provider.metadata }
    router.get("/keys") { _ in await provider.keys }
    router.post("/token") { try await provider.token($0) }
    let server = HTTPServer(handler: router.handler)
    try await server.start()
    await provider.listen(at: server.port)
    do { try await body(provider) } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func listen(at port: Int) { issuer = "http://127.0.0.1:\(port)" }

  func set(_ name: String, _ value: JSONValue) { claims[name] = value }
  func changeKey() throws { key = try ES256PrivateKey() }
  func breakDown() { isBroken = true }

  /// What the user's consent leads to: the address that the provider sends the browser back to.
  func consent(to address: String) throws -> String {
    var fields: [String: String] = [:]
    for part in address.split(separator: "?").last?.split(separator: "&") ?? [] {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      fields[pair[0]] = pair.count > 1 ? pair[1].replacing("%2F", with: "/").replacing("%3A", with: ":") : ""
    }
    let code = UUID().uuidString
    codes[code] = (fields["nonce"] ?? "", fields["redirect_uri"] ?? "")
    return "\(fields["redirect_uri"] ?? "")?code=\(code)&state=\(fields["state"] ?? "")"
  }

  /// An ID token as apps get them from the provider's own kit.
  func idToken(nonce: String?, audience: String = clientID, lifetime: Int = 60) throws -> String {
    var all = claims
    let now = Int(Date().timeIntervalSince1970)
    all["iss"] = .string(issuer)
    all["aud"] = .string(audience)
    all["iat"] = .integer(now - 1)
    all["exp"] = .integer(now + lifetime)
    if let nonce { all["nonce"] = .string(nonce) }
    return try key.sign(claims: JSONValue.object(all).description)
  }

  private var metadata: ServerResponse {
    json([
      "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
      "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/keys"),
    ])
  }

  private var keys: ServerResponse { ServerResponse(status: .ok, body: HTTPBody(#"{"keys":[\#(key.publicJWK)]}"#)) }

  private func token(_ request: ServerRequest) async throws -> ServerResponse {
    let text = String(decoding: try await request.body.collect(upTo: 10_000), as: UTF8.self)
    let code = text.split(separator: "&").first { $0.hasPrefix("code=") }.map { String($0.dropFirst(5)) } ?? ""
    guard !isBroken, text.contains("client_secret=a%20secret"), text.contains("grant_type=authorization_code"),
      let known = codes.removeValue(forKey: code)
    else { return ServerResponse(status: .badRequest, body: HTTPBody(#"{"error":"invalid_grant"}"#)) }
    return json([
      "access_token": "acme access", "refresh_token": "acme refresh", "token_type": "Bearer",
      "id_token": .string(try idToken(nonce: known.nonce)),
    ])
  }

  private func json(_ value: JSONValue) -> ServerResponse {
    ServerResponse(status: .ok, headerFields: [.contentType: "application/json"], body: HTTPBody(value.description))
  }
}
