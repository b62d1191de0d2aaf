import Testing

@testable import SwiftwaterHTTP

@Suite("Multipart forms")
struct MultipartFormTests {
  @Test("Parts stand between boundaries, with their names, types and bytes")
  func format() async throws {
    var form = MultipartForm(boundary: "X")
    form.append("ü", name: "title")
    form.append(HTTPBody([0, 1, 13, 10]), name: "file", filename: "a.bin", contentType: "application/x")
    #expect(form.contentType == "multipart/form-data; boundary=X")
    let expected =
      Array("--X\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nü\r\n".utf8)
      + Array(
        "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: application/x\r\n\r\n"
          .utf8) + [0, 1, 13, 10] + Array("\r\n--X--\r\n".utf8)
    #expect(form.body.length == .known(Int64(expected.count)))
    #expect(form.body.iterationBehavior == .multiple)
    for _ in 0..<2 { #expect(try await form.body.collect(upTo: 1000) == expected) }
    #expect(try await MultipartForm(boundary: "X").body.collect(upTo: 100) == Array("--X--\r\n".utf8))
  }

  @Test("Names and types cannot break out of their field")
  func escaping() async throws {
    var form = MultipartForm(boundary: "X")
    form.append(HTTPBody("v"), name: "a\"\r\nb\u{301}\"", filename: "\"\n", contentType: "text/plain\r\nX: y")
    let text = String(decoding: try await form.body.collect(upTo: 1000), as: UTF8.self)
    #expect(text.contains("name=\"a%22%0D%0Ab\u{301}%22\"; filename=\"%22%0A\"\r\n\r\nv"))
    #expect(!text.contains("X: y"))
  }

  @Test("A part that is a plain stream makes the body one, of unknown length")
  func stream() {
    var form = MultipartForm()
    form.append(HTTPBody { nil }, name: "a")
    #expect(form.body.length == .unknown)
    #expect(form.body.iterationBehavior == .single)
    #expect(form.boundary != MultipartForm().boundary)
  }
}
