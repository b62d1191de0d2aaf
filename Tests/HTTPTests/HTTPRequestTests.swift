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

  @Test("A URL without scheme or host is refused", arguments: ["/only/a/path", "file:///etc/hosts", "mailto:a@b"])
  func refused(text: String) throws {
    let url = try #require(URL(string: text))
    #expect(throws: HTTPError.self) { try HTTPRequest(url: url) }
  }
}
