import FoundationEssentials
import TestSupport
import Testing

@testable import SupabaseServices

@Suite("QR codes")
struct QRCodeTests {
  /// Texts that fill the codes of all twenty sizes. (What is behind a shorter text is for nobody to read, and segno puts
  /// a byte more there than the standard does.)
  private static let texts = [
    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666,
  ].map { length in String(String(repeating: "otpauth://totp/a:b?secret=", count: 26).prefix(length)) }

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
    #expect(QRCode(Array(repeating: 0, count: 667)) == nil)
    let code = try #require(QRCode([]))
    #expect(code.modules.count == 21)
    #expect(code.svg.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29""#))
  }
}
