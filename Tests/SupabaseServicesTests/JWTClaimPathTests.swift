import SwiftwaterTokens
import Testing

@testable import SupabaseServices

@Suite("Where a token names the role")
struct JWTClaimPathTests {
  @Test(
    "The role stands where the path says",
    arguments: [
      (".role", "top"), ("$.role", "top"), (".app.roles[1]", "editor"), ("$['app'].roles[0]", "reader"),
      (#".app."the role""#, "quoted"), (#".app.roles[?(@ == "editor")]"#, "editor"),
      (#".app.roles[?(@ ^== "edi")]"#, "editor"), (#".app.roles[?(@ ==^ "der")]"#, "reader"),
      (#".app.roles[?(@ *== "ito")]"#, "editor"), (#".app.roles[?(@ != "reader")]"#, "editor"),
      (".app.number", "7"), (".missing", nil), (".app.roles[9]", nil), (".role.role", nil),
    ] as [(String, String?)])
  func rolePath(path: String, role: String?) throws {
    let claims = #"{"role":"top","app":{"roles":["reader","editor"],"the role":"quoted","number":7}}"#
    let token = try JSONWebToken.unverified(JSONWebToken.sign(claims: claims, secret: ""))
    #expect(try JWTClaimPath(path).text(in: token.values) == role)
  }

  @Test(
    "Paths that cannot be read are refused",
    arguments: ["", "$", "role", ".", ".a[", ".a[x]", ".a[?(@ = \"x\")]", ".a b"])
  func badPath(path: String) {
    #expect(throws: JWTKeyError.self) { try JWTClaimPath(path) }
  }
}
