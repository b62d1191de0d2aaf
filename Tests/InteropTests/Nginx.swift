import Foundation
import SwiftwaterCurl
import SwiftwaterHTTP
import TestSupport
import Testing

/// nginx with a configuration of the test's own, on a local socket in a folder of its own.
struct Nginx {
  /// The program that `./dev test` has found or fetched, or the one on the PATH.
  static let program: String? = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["SWIFTWATER_NGINX"] { return named }
    let folders = (environment["PATH"] ?? "").split(separator: ":") + ["/usr/sbin"]
    return folders.map { "\($0)/nginx" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()
  /// What a skipped test says.
  static let missing: Comment = "nginx is not here; ./dev test fetches it"

  /// Where the test's own files lie.
  let folder: String
  private let process: ChildProgram
  /// Goes to nginx, whatever a request's authority says.
  let transport: CurlTransport

  /// Runs nginx for the time of `body`.
  ///
  /// - Parameters:
  ///   - http: what stands in the `http` block before the server.
  ///   - server: what stands in the `server` block.
  ///   - listen: options of `listen`.
  ///   - authority: the file, in the folder, of the authorities that our client trusts.
  ///   - prepare: makes files in the folder before nginx starts.
  static func run(
    http: String = "", server: String, listen: String = "", authority: String? = nil,
    prepare: (_ folder: String) async throws -> Void = { _ in }, _ body: (Nginx) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: "\(folder)/files", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await prepare(folder)
    let configuration = """
      daemon off; master_process off; worker_processes 1; pid \(folder)/pid; error_log stderr;
      events { worker_connections 256; }
      http {
        access_log off;
        client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b; fastcgi_temp_path \(folder)/c;
        uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
        \(http)
        server {
          listen unix:\(folder)/socket \(listen);
          root \(folder)/files;
          location = /ready { return 204; }
          \(server)
        }
      }
      """
    try Data(configuration.utf8).write(to: URL(filePath: "\(folder)/nginx.conf"))
    let nginx = try Nginx(folder, authority: authority.map { "\(folder)/\($0)" })
    defer { nginx.transport.shutdown() }
    do {
      try await nginx.waitUntilReady()
      try await body(nginx)
    } catch {
      await nginx.stop()
      throw error
    }
    await nginx.stop()
  }

  private init(_ folder: String, authority: String?) throws {
    self.folder = folder
    var configuration = CurlTransport.Configuration()
    configuration.unixSocketPath = "\(folder)/socket"
    configuration.certificateAuthorityFile = authority
    transport = CurlTransport(configuration: configuration)
    process = try ChildProgram(
      try #require(Self.program), ["-p", folder, "-c", "\(folder)/nginx.conf", "-e", "stderr"])
  }

  private func waitUntilReady() async throws {
    let isReady = try await eventually(within: .seconds(60)) {
      guard process.isRunning else { return true }
      // Also one that speaks TLS only says something to that.
      return try await curl("http://localhost/ready").code == 0
    }
    try #require(isReady && process.isRunning, "nginx does not start: \(process.output)")
  }

  private func stop() async {
    process.send(SIGTERM)
    #expect(await eventually { !process.isRunning })
  }

  /// Sends a request by our own client engine.
  func send(
    _ method: HTTPRequest.Method = .get, _ path: String, scheme: String = "http", _ fields: HTTPFields = [:],
    body: HTTPBody? = nil
  ) async throws -> (HTTPResponse, HTTPBody) {
    try await transport.send(
      HTTPRequest(
        method: method, scheme: scheme, authority: "localhost", path: path, headerFields: fields, timeout: .seconds(60)),
      body: body)
  }

  /// Sends a request and collects the answer.
  func fetch(
    _ method: HTTPRequest.Method = .get, _ path: String, scheme: String = "http", _ fields: HTTPFields = [:],
    body: HTTPBody? = nil
  ) async throws -> (response: HTTPResponse, body: [UInt8]) {
    let (response, received) = try await send(method, path, scheme: scheme, fields, body: body)
    return (response, try await received.collect(upTo: 64 << 20))
  }

  /// Runs the curl command against this nginx: its output, errors included, and its exit code.
  func curl(_ arguments: String...) async throws -> (output: String, code: Int32?) {
    let curl = try ChildProgram(
      "/usr/bin/env", ["curl", "-sS", "-m", "60", "--unix-socket", "\(folder)/socket"] + arguments)
    let code = await curl.status()
    return (curl.output, code)
  }
}

extension HTTPField.Name {
  /// A field that a test needs.
  static func other(_ name: String) -> Self { Self(name) ?? .accept }
}
