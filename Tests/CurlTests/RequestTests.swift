import SwiftwaterCurl
import SwiftwaterHTTP
import Testing

@Suite("Requests on the wire")
struct RequestTests {
  private let transport = makeTransport()

  /// Sends a request to a server that takes `bodyLength` bytes and answers; returns the head it saw.
  private func head(
    _ method: HTTPRequest.Method, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody? = nil,
    bodyLength: Int = 0
  ) async throws -> [String] {
    try await withServer { connection in
      try connection.readHead()
      _ = try connection.read(bodyLength)
      try connection.respond()
    } _: { server in
      _ = try await transport.send(.to(server, method, path, fields: fields), body: body)
      #expect(server.heads.count == 1)
      return server.heads.first?.split(separator: "\r\n").map { String($0) } ?? []
    }
  }

  @Test(
    "Every method stands in the request line as given",
    arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
  func methods(name: String) async throws {
    let lines = try await head(HTTPRequest.Method(rawValue: name))
    #expect(lines.first == "\(name) / HTTP/1.1")
  }

  @Test(
    "The target is not touched",
    arguments: [
      "/a/../b/./c", "//double//slash", "/%7Euser/%2e%2E", "/q?a=b&a=c&d=%20+%22'\"<>[]{}|\\^`", "/é", "*", "/a#b",
      "?q", "/?", "/a?b?",
      "/a?b?c",
    ])
  func rawTargets(target: String) async throws {
    let lines = try await head(.get, target)
    #expect(lines.first == "GET \(target) HTTP/1.1")
  }

  @Test("Fields go out as given, in order, repeated and empty ones too")
  func fields() async throws {
    var fields: HTTPFields = [.accept: "text/csv", .prefer: "a=1", .userAgent: "me", .authorization: "Bearer x"]
    fields.append(HTTPField(name: .prefer, value: "b; c=\"d\""))
    fields.append(HTTPField(name: try #require(HTTPField.Name("X-Empty")), value: ""))
    fields.append(HTTPField(name: try #require(HTTPField.Name("x-blank")), value: "  "))
    fields.append(HTTPField(name: try #require(HTTPField.Name("X-Uni")), value: "grün"))
    let lines = try await head(.get, fields: fields)
    let sent = lines.filter { !$0.hasPrefix("Host:") && !$0.hasPrefix("Accept-Encoding:") }.dropFirst()
    #expect(
      Array(sent) == [
        "Accept: text/csv", "Prefer: a=1", "User-Agent: me", "Authorization: Bearer x", "Prefer: b; c=\"d\"",
        "X-Empty:", "x-blank:", "X-Uni: grün",
      ])
  }

  @Test("Only host, program name and codings are added")
  func additions() async throws {
    let lines = try await head(.get).dropFirst().map { $0.split(separator: ":")[0] }
    #expect(Set(lines) == ["Host", "User-Agent", "Accept-Encoding"])
  }

  @Test("A given Host takes the place of the authority")
  func host() async throws {
    let lines = try await head(.get, fields: [.host: "other.example"])
    #expect(lines.filter { $0.hasPrefix("Host:") } == ["Host: other.example"])
  }

  @Test("Codings are not asked for with HEAD, a range, or codings of the caller's own")
  func codings() async throws {
    #expect(try await !head(.head).contains { $0.hasPrefix("Accept-Encoding") })
    #expect(try await !head(.get, fields: [.range: "bytes=0-1"]).contains { $0.hasPrefix("Accept-Encoding") })
    let name = try #require(HTTPField.Name("accept-encoding"))
    let lines = try await head(.get, fields: [name: "zstd"])
    #expect(lines.filter { $0.lowercased().hasPrefix("accept-encoding") } == ["accept-encoding: zstd"])
  }

  @Test(
    "Without a body, methods that expect one say Content-Length: 0 and the others nothing",
    arguments: [("POST", 1), ("PUT", 1), ("PATCH", 1), ("GET", 0), ("DELETE", 0), ("OPTIONS", 0)])
  func noBody(name: String, count: Int) async throws {
    for body in [nil, HTTPBody.empty] {
      let lines = try await head(HTTPRequest.Method(rawValue: name), body: body)
      #expect(lines.filter { $0 == "Content-Length: 0" }.count == count)
      #expect(lines.filter { $0.hasPrefix("Content-Length") || $0.hasPrefix("Transfer-Encoding") }.count == count)
    }
  }

  @Test("A length given by the caller is sent once", arguments: ["POST", "GET", "DELETE"])
  func givenLength(name: String) async throws {
    let method = HTTPRequest.Method(rawValue: name)
    let lines = try await head(method, fields: [.contentLength: "5"], body: HTTPBody("hello"), bodyLength: 5)
    #expect(lines.filter { $0.hasPrefix("Content-Length") } == ["Content-Length: 5"])
    #expect(!lines.contains { $0.hasPrefix("Content-Type") || $0.hasPrefix("Expect") })
  }

  @Test("What cannot be sent as it is, is refused before anything is sent")
  func refusals() async throws {
    let nosniff = try #require(HTTPField.Name("X-Test"))
    try await withServer {
      try $0.respond()
    } _: { server in
      let good = HTTPRequest.get(server)
      func refuses(
        body: HTTPBody? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout HTTPRequest) -> Void
      ) async {
        var request = good
        change(&request)
        let kind = await kind(sourceLocation: sourceLocation) { _ = try await transport.send(request, body: body) }
        #expect(kind == .invalidRequest, sourceLocation: sourceLocation)
      }
      for value in ["a\r\nX: y", "a\nb", "a\rb", "a\0b"] { await refuses { $0.headerFields[nosniff] = value } }
      for method in ["", "GE T", "GET\r\n", "G:T"] {
        await refuses { $0.method = HTTPRequest.Method(rawValue: method) }
      }
      for path in ["", "/a b", "/a\r\nX: y", "/\0", "/\u{7F}"] { await refuses { $0.path = path } }
      for scheme in ["ftp", "file", ""] { await refuses { $0.scheme = scheme } }
      await refuses { $0.scheme = nil }
      for authority in ["", "user@host", "host/path", "host?q", "ho st", "host#f", "ho\\st"] {
        await refuses { $0.authority = authority }
      }
      await refuses { $0.authority = nil }
      await refuses { $0.headerFields[.transferEncoding] = "chunked" }
      for length in ["3", "x", "-1", "+5", ""] {
        await refuses(body: HTTPBody("hello")) { $0.headerFields[.contentLength] = length }
      }
      await refuses(body: HTTPBody("hello")) { $0.headerFields[values: .contentLength] = ["5", "5"] }
      await refuses(body: HTTPBody("hello")) { $0.method = .head }
      await refuses(body: .stream([], length: .known(-1))) { $0.method = .post }
      #expect(server.accepted == 0)
    }
  }
}
