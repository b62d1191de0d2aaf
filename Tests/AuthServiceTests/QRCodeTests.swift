import FoundationEssentials
import TestSupport
import Testing

@testable import SupabaseServices

@Suite("QR codes")
struct QRCodeTests {
  /// Texts that fill codes of many sizes: with one block and with several, with and without version marks.
  private static let texts = [3, 14, 15, 40, 62, 84, 106, 122, 152, 180, 213, 250, 300, 362, 450, 560, 663].map {
    length in
    String(String(repeating: "otpauth://totp/a:b?secret=", count: 26).prefix(length))
  }

  @Test(
    "They are those of segno, module by module (needs Python)",
    .enabled(if: Witness.python != nil, "\(Witness.missing)"))
  func segno() async throws {
    let script = URL(filePath: #filePath).appending(path: "../../Witnesses/qr-codes.py").standardizedFileURL.path
    let child = try ChildProgram(try #require(Witness.python), [script] + Self.texts)
    #expect(await child.status() == 0, "\(child.output)")
    let codes = child.output.split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
    #expect(codes.count == Self.texts.count)
    for (text, rows) in zip(Self.texts, codes) {
      let own = QRCode(Array(text.utf8))?.modules.map { row in row.map { $0 ? "1" : "0" }.joined() }
      #expect(own == rows, "\(text.utf8.count) bytes")
    }
  }

  @Test("What is too much for one is none, and a picture has a quiet zone")
  func limits() throws {
    #expect(QRCode(Array(repeating: 0, count: 664)) == nil)
    let code = try #require(QRCode([]))
    #expect(code.modules.count == 21)
    #expect(code.svg.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29""#))
  }
}
