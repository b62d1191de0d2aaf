import Foundation
import TestSupport
import Testing

@Suite("swiftwater inbox")
struct InboxCommandTests {
  private func ask(_ address: String, _ body: String) async throws {
    let request = try ChildProgram(
      "/bin/sh",
      ["-c", #"exec curl -sf -o /dev/null -H 'Content-Type: application/json' -d "$2" "$1""#, "sh", address, body])
    #expect(await request.status() == 0, "\(request.output)")
  }

  @Test("It prints what was kept, newest first, for people and for scripts, and empties the inbox")
  func listing() async throws {
    let folder = try ScratchFolder()
    let before = try folder.swiftwater("inbox")
    #expect(await before.status() == 69)
    let backend = try folder.swiftwater("start", "--port", "0", "--site-url", "https://app.example")
    #expect(await backend.serves(), "\(backend.output)")
    let auth = try #require(backend.value(of: "Auth"))
    #expect(backend.value(of: "Inbox")?.hasSuffix("/inbox") == true)
    let empty = try folder.swiftwater("inbox")
    #expect(await empty.status() == 0)
    #expect(empty.output == "The inbox is empty.\n")
    try await ask("\(auth)/otp", #"{"email":"ada@example.com"}"#)
    try await ask("\(auth)/otp", #"{"phone":"491701"}"#)
    let all = try folder.swiftwater("inbox")
    #expect(await all.status() == 0)
    let places = [
      "sms  491701", "signup  ada@example.com  Confirm Your Signup", "&redirect_to=https:%2F%2Fapp.example",
    ]
    .map { all.output.range(of: $0)?.lowerBound }
    #expect(places.compactMap { $0 }.count == 3, "\(all.output)")
    #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted())
    let json = try folder.swiftwater("inbox", "--json", "--to", "491701")
    #expect(await json.status() == 0)
    let message = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect(message?["kind"] as? String == "sms")
    #expect((message?["token"] as? String)?.count == 6)
    let clear = try folder.swiftwater("inbox", "--clear")
    #expect(await clear.status() == 0)
    let after = try folder.swiftwater("inbox")
    _ = await after.status()
    #expect(after.output == "The inbox is empty.\n")
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
  }

  @Test("A backend that is not in development mode keeps nothing")
  func normalMode() async throws {
    let folder = try ScratchFolder()
    try folder.write(String(repeating: "a secret of one's own ", count: 3), to: "secret")
    let backend = try folder.swiftwater("start", "--port", "0", "--jwt-secret-file", "secret")
    #expect(await backend.serves(), "\(backend.output)")
    #expect(backend.value(of: "Inbox") == nil)
    let inbox = try folder.swiftwater("inbox")
    #expect(await inbox.status() == 69)
    #expect(inbox.output.contains("keeps no messages"))
    backend.send(SIGINT)
    #expect(await backend.status() == 0)
  }
}
