import Foundation
import SwiftwaterStreams
import TestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A server program in Python, with a private certificate authority in a folder of its own.
final class PythonServer: Sendable {
  struct NoPort: Error { var output: String }

  let folder: URL
  let port: Int
  private let program: ChildProgram

  /// The authority that signed everything, as a PEM file.
  var authorityFile: String { path("ca.pem") }
  var authority: String { "localhost:\(port)" }

  /// Starts the script, which finds `folder` and `arguments` among its own, and waits until it has printed its port.
  ///
  /// - Parameters:
  ///   - script: the functions of `prelude` are at its disposal.
  init(_ script: String, _ arguments: [String] = []) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "curl-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.folder = folder
    let program = try ChildProgram(
      Witness.python ?? "/nonexistent", ["-c", Self.prelude + script, folder.path] + arguments)
    self.program = program
    guard await program.writes("listens\n"),
      let port = program.output.split(separator: "\n").compactMap({ Int($0.dropFirst("port ".count)) }).first
    else {
      program.send(SIGKILL)
      try? FileManager.default.removeItem(at: folder)
      throw NoPort(output: program.output)
    }
    self.port = port
  }

  deinit {
    program.send(SIGKILL)
    try? FileManager.default.removeItem(at: folder)
  }

  /// What it has written.
  var output: String { program.output }

  /// Stops it without an end, so that it neither answers nor closes.
  func freeze() { program.send(SIGSTOP) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  /// `listen()` gives a listening socket and tells its port; `certificates()` writes the authority, the server's and
  /// the client's certificates, and gives a TLS context.
  private static let prelude = """
    import os, socket, ssl, sys, threading
    folder = sys.argv[1]
    arguments = sys.argv[2:]
    def listen():
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(("127.0.0.1", 0))
        server.listen(128)
        print("port", server.getsockname()[1], flush=True)
        print("listens", flush=True)
        return server
    def certificates(name="localhost"):
        import trustme
        from cryptography.hazmat.primitives import serialization as s
        authority = trustme.CA()
        authority.cert_pem.write_to_path(folder + "/ca.pem")
        server = authority.issue_cert(name)
        server.private_key_pem.write_to_path(folder + "/server.key")
        with open(folder + "/server.pem", "wb") as file:
            for blob in server.cert_chain_pems: file.write(blob.bytes())
        client = authority.issue_cert("client@example.org")
        client.private_key_pem.write_to_path(folder + "/client.key")
        client.cert_chain_pems[0].write_to_path(folder + "/client.pem")
        key = s.load_pem_private_key(client.private_key_pem.bytes(), None)
        with open(folder + "/locked.key", "wb") as file:
            file.write(key.private_bytes(
                s.Encoding.PEM, s.PrivateFormat.PKCS8, s.BestAvailableEncryption(b"open sesame")))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/server.pem", folder + "/server.key")
        return context

    """
}
