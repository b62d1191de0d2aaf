import FoundationEssentials
import SwiftwaterHTTP
import SwiftwaterHTTPServer
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Local sockets, seen by the curl command.
struct UnixSocketTests {
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = "/tmp/swiftwater-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }

  private func configuration(_ path: String) -> HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration()
    configuration.unixSocketPath = path
    return configuration
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test("requests arrive, the file has its mode, and it is gone when the server has stopped")
  func serves() async throws {
    try await withFolder { folder in
      let path = "\(folder)/http.sock"
      for mode in [0o600, 0o666] as [UInt16] {
        var configuration = configuration(path)
        configuration.unixSocketMode = mode
        let server = HTTPServer(configuration: configuration) { text("\($0.peer) \($0.head.path)") }
        try await server.start()
        #expect(server.port == 0)
        #expect(self.mode(path) == mode_t(mode))
        #expect(await shell("curl -sS -m 60 --unix-socket \(path) http://x/a").output == "local /a")
        await server.stop()
        #expect(self.mode(path) == nil)
      }
    }
  }

  @Test("a socket that was left behind is replaced")
  func stale() async throws {
    try await withFolder { folder in
      let path = "\(folder)/http.sock"
      let left = await shell(
        "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => \"\(path)\", Listen => 1) or die'")
      #expect(left.code == 0)
      #expect(mode(path) != nil)
      let server = HTTPServer(configuration: configuration(path), handler: echo)
      try await server.start()
      #expect(await shell("curl -sS -m 60 --unix-socket \(path) http://x/a").output == "GET /a ")
      await server.stop()
    }
  }

  @Test("a socket that is in use, a file that is no socket and a path that is too long are left alone and told")
  func refused() async throws {
    try await withFolder { folder in
      let path = "\(folder)/http.sock"
      let server = HTTPServer(configuration: configuration(path), handler: echo)
      try await server.start()
      func error(_ path: String) async -> HTTPServerError? {
        let second = HTTPServer(configuration: configuration(path), handler: echo)
        return await #expect(throws: HTTPServerError.self) { try await second.start() }
      }
      #expect(await error(path)?.code == .addressInUse)
      #expect(await shell("curl -sS -m 60 --unix-socket \(path) http://x/a").output == "GET /a ")
      await server.stop()

      let file = "\(folder)/file"
      try Data("precious".utf8).write(to: URL(filePath: file))
      #expect(await error(file)?.code == .cannotListen)
      #expect(try String(contentsOf: URL(filePath: file), encoding: .utf8) == "precious")
      #expect(await error("\(folder)/\(String(repeating: "x", count: 200))")?.message.contains("shorter") == true)
      #expect(await error("\(folder)/no/such/folder")?.message.contains("No such file or directory") == true)
    }
  }

  @Test("a server does not remove the file of another one that has taken its place")
  func replaced() async throws {
    try await withFolder { folder in
      let path = "\(folder)/http.sock"
      let first = HTTPServer(configuration: configuration(path), handler: echo)
      try await first.start()
      unlink(path)
      let second = HTTPServer(configuration: configuration(path), handler: echo)
      try await second.start()
      await first.stop()
      #expect(await shell("curl -sS -m 60 --unix-socket \(path) http://x/a").output == "GET /a ")
      await second.stop()
      #expect(mode(path) == nil)
    }
  }
}
