import Auth
import FoundationEssentials
import SwiftwaterTokens

/// What the servers of these tests answer.
enum Sample {
  static let secret = "a-secret-of-at-least-thirty-two-bytes"
  static let anna = "f33d3ec9-a2ee-47c4-80e1-5bd919f3d8b8"
  static let berta = "859f402d-b3de-4105-a1b9-932836d9193b"
  /// When the manual clocks of these tests begin.
  static let epoch = Date(timeIntervalSince1970: 1_700_000_000)

  static func user(_ id: String = anna, email: String = "anna@example.com", more: String = "") -> String {
    #"{"id":"\#(id)","aud":"authenticated","role":"authenticated","email":"\#(email)","phone":"","#
      + #""app_metadata":{"provider":"email"},"user_metadata":{"nick_name":"a"},"identities":[],"#
      + #""created_at":"2024-04-01T17:05:13.013312Z","updated_at":"2024-04-01T17:05:13.022041789Z"\#(more)}"#
  }

  /// - Parameter skew: How far the server's clock is ahead of these tests' epoch.
  static func session(
    _ number: Int = 1, user id: String = anna, expiresIn: Int = 3600, skew: Int = 0, more: String = "",
    whole: String? = nil
  ) -> String {
    #"{"access_token":"access-\#(number)","token_type":"bearer","expires_in":\#(expiresIn),"#
      + #""expires_at":\#(1_700_000_000 + skew + expiresIn),"refresh_token":"refresh-\#(number)"\#(more),"#
      + #""user":\#(whole ?? user(id))}"#
  }

  /// A session as a client has it.
  static func stored(_ number: Int = 1, user id: String = anna, expiresIn: Int = 3600) throws -> Session {
    try AuthClient.Configuration.jsonDecoder.decode(
      Session.self, from: Data(session(number, user: id, expiresIn: expiresIn).utf8))
  }

  /// A real token.
  static func token(expiresIn: Double, more: String = "") -> String {
    let now = Date().timeIntervalSince1970
    return JSONWebToken.sign(
      claims: #"{"sub":"\#(anna)","exp":\#(Int(now + expiresIn)),"iat":\#(Int(now) - 10)\#(more)}"#, secret: secret)
  }
}
