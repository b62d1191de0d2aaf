import FoundationEssentials
import SwiftwaterBackend
import SwiftwaterHTTP
import TestSupport
import Testing

@testable import SupabaseServices

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite("Mails by SMTP", .enabled(if: Witness.python != nil, "\(Witness.missing)"))
struct SMTPTests {
  /// Calls `body` with aiosmtpd and its port.
  private func with(_ body: (ChildProgram, Int) async throws -> Void) async throws {
    let script = URL(filePath: #filePath).appending(path: "../../Witnesses/smtp-server.py").standardizedFileURL.path
    let server = try ChildProgram(try #require(Witness.python), ["-W", "ignore", script])
    defer { server.send(SIGKILL) }
    try #require(await server.writes("\n"), "\(server.output)")
    let port = server.output.split(separator: "\n").first?.split(separator: " ").last.flatMap { Int($0) }
    try await body(server, try #require(port))
  }

  private func mails(_ server: ChildProgram) -> [JSONValue] {
    server.output.split(separator: "\n").dropFirst().compactMap { line in
      try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
    }
  }

  @Test("A mail reaches aiosmtpd with its recipient, subject, text and link (needs Python)")
  func delivery() async throws {
    try await with { server, port async throws in
      try await AuthBackend.with {
        $0.messageDelivery = SMTPDelivery(
          url: "smtp://127.0.0.1:\(port)", sender: "no-reply@example.com", user: "ada", password: "secret",
          needsTLS: false)
      } _: { backend async throws in
        let redirect = "http://127.0.0.1:3000/" + String(repeating: "x", count: 1500)
        #expect(try await backend.post("/otp?redirect_to=\(redirect)", ["email": "ada@example.com"]).json == [:])
        #expect(await eventually { mails(server).count == 1 })
        let mail = try #require(mails(server).first)
        #expect(mail["from"] == "no-reply@example.com")
        #expect(mail["to"] == ["ada@example.com"])
        #expect(mail["header"] == "<ada@example.com>")
        #expect(mail["subject"] == "Confirm Your Signup")
        #expect(mail["user"] == "ada")
        let text = try #require(mail["text"]?.stringValue)
        #expect(text.contains(String(repeating: "x", count: 1500)))
        let code = try #require(text.split(separator: " ").last).filter(\.isNumber)
        _ = try backend.session(
          try await backend.post("/verify", ["type": "email", "email": "ada@example.com", "token": .string(code)]))
        // Text messages are none of a mail server's.
        #expect(try await backend.post("/otp", ["phone": "491701"]).code == "sms_send_failed")
      }
    }
  }

  @Test(
    "Nothing is sent in the clear unless that is allowed, nor with a wrong password; a server that is away fails (needs Python)"
  )
  func failures() async throws {
    let message = AuthMessage(
      id: "1", date: "", channel: .email, recipient: "ada@example.com", kind: .signUp, subject: "s", text: "t",
      token: "1", tokenHash: nil, link: nil)
    try await with { server, port async throws in
      for delivery in [
        SMTPDelivery(url: "smtp://127.0.0.1:\(port)", sender: "a@example.com"),
        SMTPDelivery(
          url: "smtp://127.0.0.1:\(port)", sender: "a@example.com", user: "ada", password: "wrong", needsTLS: false),
        SMTPDelivery(url: "smtp://127.0.0.1:1", sender: "a@example.com", needsTLS: false),
        SMTPDelivery(url: "http://127.0.0.1:\(port)", sender: "a@example.com", needsTLS: false),
      ] {
        do {
          try await delivery.deliver(message)
          Issue.record("It was delivered.")
        } catch let error as SMTPDelivery.Failure {
          #expect(!error.description.contains("wrong") && !error.description.isEmpty)
        }
      }
      #expect(mails(server).isEmpty)
    }
  }

  @Test("A delivery to a server that says nothing ends with its task (needs Python)")
  func cancellation() async throws {
    // A listener that never accepts: the connection is made, and then nothing happens.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        _ = bind(listener, name, length)
        _ = listen(listener, 1)
        getsockname(listener, name, &length)
      }
      return UInt16(bigEndian: pointer.pointee.sin_port)
    }
    let message = AuthMessage(
      id: "1", date: "", channel: .email, recipient: "ada@example.com", kind: .signUp, subject: "s", text: "t",
      token: "1", tokenHash: nil, link: nil)
    let delivering = Task {
      try await SMTPDelivery(url: "smtp://127.0.0.1:\(port)", sender: "a@example.com", needsTLS: false).deliver(message)
    }
    delivering.cancel()
    await #expect(throws: CancellationError.self) { try await delivering.value }
  }
}
