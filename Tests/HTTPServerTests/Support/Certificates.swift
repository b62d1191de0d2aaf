import FoundationEssentials
import SwiftwaterHTTPServer
import TestSupport
import Testing

/// Certificates of an authority of our own, in a folder that is removed with this.
final class Certificates {
  let folder: String

  /// Makes: `ca.pem`; `chain.pem` and `key.pem` of localhost, by way of an intermediate authority; `client.pem` of a
  /// client, key included; and the same of another authority in `other.pem` and `other-key.pem`.
  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "swiftwater-tls-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let (output, code) = try await python(
      """
      import sys, trustme
      from cryptography.hazmat.primitives import serialization
      folder = sys.argv[1] + "/"
      ca = trustme.CA()
      ca.cert_pem.write_to_path(folder + "ca.pem")
      server = ca.create_child_ca().issue_cert("localhost", "127.0.0.1")
      with open(folder + "chain.pem", "wb") as file:
          for pem in server.cert_chain_pems: file.write(pem.bytes())
      server.private_key_pem.write_to_path(folder + "key.pem")
      key = serialization.load_pem_private_key(server.private_key_pem.bytes(), None)
      with open(folder + "encrypted.pem", "wb") as file:
          file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
              serialization.BestAvailableEncryption(b"secret")))
      ca.issue_cert("ada@example.org").private_key_and_cert_chain_pem.write_to_path(folder + "client.pem")
      other = trustme.CA().issue_cert("ada@example.org")
      other.private_key_and_cert_chain_pem.write_to_path(folder + "other.pem")
      other.private_key_pem.write_to_path(folder + "other-key.pem")
      """, folder)
    try #require(code == 0, "\(output)")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func path(_ name: String) -> String { "\(folder)/\(name)" }

  var configuration: TLSConfiguration {
    TLSConfiguration(certificateChain: .file(path("chain.pem")), privateKey: .file(path("key.pem")))
  }
}

/// Runs a Python program with these arguments: its output and its exit code, nil when a signal ended it.
func python(_ program: String, _ arguments: String...) async throws -> (output: String, code: Int32?) {
  let child = try ChildProgram(try #require(Witness.python), ["-c", program] + arguments)
  let code = await child.status()
  return (child.output, code)
}
