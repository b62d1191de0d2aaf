import FoundationEssentials
import SwiftwaterHTTP
import Testing

@Suite("Requests from URLs")
struct HTTPRequestTests {
  @Test(
    "Target and authority are the URL's as they are encoded",
    arguments: [
      ("https://host", "host", "/"), ("http://host:81/a%2Fb?x=%26#f", "host:81", "/a%2Fb?x=%26"),
      ("http://user:pw@host/p", "host", "/p"), ("http://[::1]:80/p", "[::1]:80", "/p"), ("http://h?x", "h", "/?x"),
    ])
  func parts(text: String, authority: String, path: String) throws {
    let request = try HTTPRequest(url: try #require(URL(string: text)))
    #expect(request.authority == authority)
    #expect(request.path == path)
    #expect(request.method == .get)
  }

  @Test("A request tells its URL, when it has one")
  func url() throws {
    let url = try #require(URL(string: "http://[::1]:80/a%2Fb?x=%26"))
    #expect(try HTTPRequest(url: url).url == url)
    #expect(HTTPRequest(method: .get, path: "/p").url == nil)
  }

  @Test("What is printed has no secrets")
  func description() throws {
    var request = HTTPRequest(method: .post, scheme: "https", authority: "u:p@host", path: "/p?token=s3cret")
    request.headerFields = [
      .authorization: "Bearer s3cret", .accept: "text/csv", .location: "https://h/?s3cret=s3cret",
    ]
    let response = HTTPResponse(status: 401, headerFields: [.setCookie: "s3cret", .wwwAuthenticate: "a\u{1B}b"])
    for text in ["\(request)", "\(request.headerFields)", "\([request])", "\(response)"] {
      #expect(!text.contains("s3cret") && !text.contains("\u{1B}"))
    }
    #expect(
      "\(request)".hasPrefix("POST https://<redacted>@host/p?<redacted>\nAuthorization: <redacted>\nAccept: text/csv"))
    #expect("\(response)".hasPrefix("401 Unauthorized\nSet-Cookie: <redacted>"))
  }

  @Test("A URL without scheme or host is refused", arguments: ["/only/a/path", "file:///etc/hosts", "mailto:a@b"])
  func refused(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(throws: HTTPError.self) { try HTTPRequest(url: url) }
  }
}
