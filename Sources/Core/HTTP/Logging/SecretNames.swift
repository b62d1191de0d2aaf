/// Names whose values are secrets: header fields, JSON members, parameters.
enum SecretNames {
  /// Header fields that carry credentials, which stand before a colon without quotes.
  private static let fields = Set(HTTPField.Name.credentials.map { normalized($0) })

  private static let others: Set<String> = [
    "passwd", "passphrase", "otp", "emailotp", "phoneotp", "authcode", "codeverifier", "tokenhash", "hashedtoken",
    "privatekey", "servicerolekey", "anonkey", "credential", "credentials", "signedurl", "actionlink", "jwt", "qrcode",
    "recoverycode", "nonce",
  ]

  private static let endings = ["password", "secret", "token", "apikey", "signature"]

  /// Whether what is called so is a secret, in whatever spelling: `access_token`, `accessToken`, `Access-Token`.
  static func contain(_ name: some StringProtocol) -> Bool {
    let name = normalized(name)
    return fields.contains(name) || others.contains(name) || endings.contains { name.hasSuffix($0) }
  }

  /// Whether it is a header field that carries credentials.
  static func containField(_ name: some StringProtocol) -> Bool { fields.contains(normalized(name)) }

  private static func normalized(_ name: some StringProtocol) -> String {
    String(decoding: name.utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self)
      .lowercased()
  }
}
