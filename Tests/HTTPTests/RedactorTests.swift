import Testing

@testable import SwiftwaterHTTP

@Suite("Redaction")
struct RedactorTests {
  private static let jwt =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

  @Test(
    "Secrets are taken out, and what stands around them stays",
    arguments: [
      ("token \(jwt) refused", "token <redacted> refused"),
      ("\(jwt)", "<redacted>"),
      ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.", "<redacted>"),
      ("key sb_secret_abcdefgh1234 and sb_publishable_abcdefgh1234.", "key <redacted> and <redacted>."),
      ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "<redacted>"),
      ("Authorization: Bearer abc.def\nAccept: text/csv", "Authorization: <redacted>\nAccept: text/csv"),
      ("sent Bearer abc.def+/= to it", "sent Bearer <redacted> to it"),
      ("Basic dXNlcjpwYXNz", "Basic <redacted>"),
      ("cookie: a=1; b=2", "cookie: <redacted>"),
      ("apikey: 12345", "apikey: <redacted>"),
      ("https://host/a?token=1&b=2 failed", "https://host/a?<redacted> failed"),
      ("see https://host/a#access_token=1.", "see https://host/a#<redacted>"),
      ("https://user:pass@host:8080/a", "https://<redacted>@host:8080/a"),
      ("postgres://postgres:secret@localhost/db", "postgres://<redacted>@localhost/db"),
      ("GET /rest/v1/todos?id=eq.1", "GET /rest/v1/todos?<redacted>"),
      ("url=/a?b=c", "url=/a?<redacted>"),
      ("callback?code=abc", "callback?<redacted>"),
      ("//user:pass@host/a", "//<redacted>@host/a"),
      ("x%3Dsb_secret_abcdefgh1234", "x%3D<redacted>"),
      ("/sign%2F\(jwt)/a", "/sign%2F<redacted>/a"),
      ("password=a,b;c)d&x=1", "password=<redacted>&x=1"),
      (#"password: "abc""#, #"password: "<redacted>""#),
      (#"{"password":"a\"b","email":"x@y.z"}"#, #"{"password":"<redacted>","email":"x@y.z"}"#),
      (#"{"access_token": "abc", "expires_in": 3600}"#, #"{"access_token": "<redacted>", "expires_in": 3600}"#),
      (#"{"refreshToken":null,"otp":123456}"#, #"{"refreshToken":<redacted>,"otp":<redacted>}"#),
      (#"{"tokens":["a"],"token":{"a":"b"}}"#, #"{"tokens":["a"],"token":{"a":"b"}}"#),
      (#"{"body":"{\"password\":\"a\\\"b\",\"x\":1}"}"#, #"{"body":"{\"password\":\"<redacted>\",\"x\":1}"}"#),
      ("grant_type=password&password=abc&x=1", "grant_type=password&password=<redacted>&x=1"),
      (#"{"signedURL":"/object/sign/a?token=x"}"#, #"{"signedURL":"<redacted>"}"#),
      ("client_secret=abc", "client_secret=<redacted>"),
      ("host=h password='s3 cret' user=u", "host=h password='<redacted>' user=u"),
      ("{'password': 'x', 'a': 1}", "{'password': '<redacted>', 'a': 1}"),
      (#"{"password":"it's"}"#, #"{"password":"<redacted>"}"#),
      (#"{"password":"unterminated"#, #"{"password":"<redacted>"#),
    ])
  func redacts(text: String, expected: String) {
    #expect(Redactor.redact(text) == expected)
  }

  @Test(
    "What is no secret stays",
    arguments: [
      "", "The server answered 404 Not Found.", #"{"code":"23505","message":"duplicate key value"}"#,
      "Is it open? Yes.", "and/or?", "1/2", "a ? b : c", "token", "password:", "Invalid token: too short",
      "eyJ", "eyJ.", "eyJabc", "select * from todos # all", "bearer", "Bearer", "héllo wörld 🌊", "sb_x", "C#",
      "2026-11-30T03:35:09Z", "application/json; charset=utf-8",
    ])
  func keeps(text: String) {
    #expect(Redactor.redact(text) == text)
  }

  @Test("Metadata with a secret's name are taken out whole, others are searched")
  func metadata() {
    #expect(
      Redactor.redact([
        "header.authorization": "x", "header.accept": "text/csv", "header.set-cookie": "x", "password": "x",
        "url": "https://h/p?q=1", "header.x-goog-api-key": "k",
      ]) == [
        "header.authorization": "<redacted>", "header.accept": "text/csv", "header.set-cookie": "<redacted>",
        "password": "<redacted>", "url": "https://h/p?<redacted>", "header.x-goog-api-key": "<redacted>",
      ])
  }

  @Test("Every field that is dropped on the way to another origin is taken out of logs too, in both forms")
  func credentialFields() {
    for name in HTTPField.Name.credentials {
      #expect(Redactor.redact(["header.\(name)": "x"]) == ["header.\(name)": "<redacted>"])
      #expect(Redactor.redact("\(name): x y") == "\(name): <redacted>")
    }
  }

  @Test("No cut of a text with secrets makes the redactor fail or a longer token appear")
  func everyCut() {
    let text = #"{"password":"a\"b"} Bearer \#(Self.jwt) https://u:p@h/x?y#z"#
    for length in 0...text.count {
      let redacted = Redactor.redact(String(text.prefix(length)))
      #expect(!redacted.contains("a\\\"b"))
      #expect(!redacted.contains(".dozj"))
    }
  }
}
