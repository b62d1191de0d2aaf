import Foundation
import SwiftwaterHTTP
import TestSupport
import Testing

@Suite("nginx as a server of files before our client", .enabled(if: Nginx.program != nil, Nginx.missing))
struct NginxFileTests {
  private static let text = Array((0..<20_000).map { "line \($0)\n" }.joined().utf8)

  /// Every answer tells which connection has carried it.
  private static let server = "add_header X-Connection $connection always; add_header X-Protocol $server_protocol;"

  private func write(_ folder: String) throws {
    try Data(Self.text).write(to: URL(filePath: "\(folder)/files/text.txt"))
    try Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 / 1000) })
      .write(to: URL(filePath: "\(folder)/files/large.bin"))
  }

  @Test("Whole files, parts of files, and files that have not changed")
  func ranges() async throws {
    try await Nginx.run(server: Self.server, prepare: write) { nginx in
      let (whole, text) = try await nginx.fetch(.get, "/text.txt")
      #expect(text == Self.text)
      #expect(whole.headerFields[.contentLength] == "\(text.count)")
      let (partial, part) = try await nginx.fetch(.get, "/text.txt", [.range: "bytes=10-19"])
      #expect(partial.status.code == 206)
      #expect(partial.headerFields[.contentRange] == "bytes 10-19/\(text.count)")
      #expect(part == Array(Self.text[10...19]))
      #expect(try await nginx.fetch(.get, "/text.txt", [.range: "bytes=-5"]).body == Array(Self.text.suffix(5)))
      let (beyond, _) = try await nginx.fetch(.get, "/text.txt", [.range: "bytes=\(text.count)-"])
      #expect(beyond.status.code == 416)
      let tag = try #require(whole.headerFields[.other("ETag")])
      #expect(try await nginx.fetch(.get, "/text.txt", [.other("If-None-Match"): tag]).response.status.code == 304)
      let changed = try #require(whole.headerFields[.other("Last-Modified")])
      let seconds = try #require(HTTPDate.date(from: changed)).timeIntervalSince1970
      for (date, status) in [(changed, 304), (HTTPDate.string(secondsSince1970: Int(seconds) - 1), 200)] {
        let (response, _) = try await nginx.fetch(.get, "/text.txt", [.other("If-Modified-Since"): date])
        #expect(response.status.code == status)
      }
      let (head, nothing) = try await nginx.fetch(.head, "/large.bin")
      #expect(head.headerFields[.contentLength] == "5000000")
      #expect(nothing.isEmpty)
      #expect(try await nginx.fetch(.get, "/missing").response.status == .notFound)
    }
  }

  @Test("Compressed files come decoded, unless the request asks for the coding itself")
  func gzip() async throws {
    let server = Self.server + "gzip on; gzip_types text/plain; types { text/plain txt; }"
    try await Nginx.run(server: server, prepare: write) { nginx in
      let (response, text) = try await nginx.fetch(.get, "/text.txt")
      #expect(text == Self.text)
      #expect(response.headerFields[.contentEncoding] == nil)
      let (raw, compressed) = try await nginx.fetch(.get, "/text.txt", [.other("Accept-Encoding"): "gzip"])
      #expect(raw.headerFields[.contentEncoding] == "gzip")
      #expect(compressed.starts(with: [0x1F, 0x8B]))
      #expect(compressed.count < text.count / 2)
    }
  }

  @Test("Connections are kept, and replaced when nginx has enough of them")
  func keepAlive() async throws {
    try await Nginx.run(server: Self.server + "keepalive_requests 3;", prepare: write) { nginx in
      var connections: [String?] = []
      for _ in 0..<9 {
        let (response, text) = try await nginx.fetch(.get, "/text.txt")
        #expect(text == Self.text)
        connections.append(response.headerFields[.other("X-Connection")])
      }
      #expect(Set(connections).count == 3)
    }
  }

  @Test("Many requests at a time, over TLS and HTTP/2 on one connection")
  func http2() async throws {
    let prepare = { (folder: String) async throws in
      try write(folder)
      let openssl = try ChildProgram(
        "/usr/bin/env",
        [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
          "2",
          "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "\(folder)/key.pem", "-out",
          "\(folder)/certificate.pem",
        ])
      try #require(await openssl.status() == 0, "\(openssl.output)")
    }
    let server = Self.server + "ssl_certificate certificate.pem; ssl_certificate_key key.pem;"
    try await Nginx.run(server: server, listen: "ssl http2", authority: "certificate.pem", prepare: prepare) { nginx in
      // The first one opens the connection that the others find.
      let (first, _) = try await nginx.fetch(.get, "/text.txt", scheme: "https")
      #expect(first.headerFields[.other("X-Protocol")] == "HTTP/2.0")
      try await withThrowingTaskGroup { group in
        for number in 0..<40 {
          group.addTask {
            let isLarge = number % 10 == 0
            let (response, body) = try await nginx.fetch(.get, isLarge ? "/large.bin" : "/text.txt", scheme: "https")
            #expect(isLarge ? body.count == 5_000_000 : body == Self.text)
            return response.headerFields[.other("X-Connection")]
          }
        }
        for try await connection in group { #expect(connection == first.headerFields[.other("X-Connection")]) }
      }
    }
  }
}
